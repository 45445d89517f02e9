import { Component, type ComponentType, type ReactNode, Suspense, use } from 'react';
import { ConsoleUpdated, NoConnection } from '../api/api-error.ts';
import { forgetFailedLoads, loadOnce } from '../api/loads.ts';
import { useWords } from '../words/words.tsx';
import { Dialog } from './dialog.tsx';
import { Failed, Loading } from './states.tsx';

/** Makes a component whose code loads when it is first shown, inside of `Opened`. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const loaded = loadOnce(load);
  return function LazyPart(props: Props) {
    const Part = use(loaded());
    return <Part {...props} />;
  };
}

interface OpenedProps {
  /** Closes the dialog that the part is; a failure is then shown as a dialog. */
  readonly close?: () => void;
  /** Whether the dialog is open. Default: true. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

interface OpenedState {
  readonly failure?: unknown;
}

/**
 * A part of a screen that loads when it is opened. If it cannot be loaded, it says so and offers to try again; the
 * screen around it stays as it is.
 */
export class Opened extends Component<OpenedProps, OpenedState> {
  override state: OpenedState = {};

  static getDerivedStateFromError(failure: unknown): OpenedState {
    return { failure };
  }

  override componentDidCatch(): void {
    forgetFailedLoads();
  }

  override componentDidUpdate({ isOpen: wasOpen = true }: OpenedProps): void {
    const { isOpen = true } = this.props;
    if (isOpen && !wasOpen && this.state.failure !== undefined) this.retry();
  }

  readonly retry = () => this.setState({ failure: undefined });

  override render(): ReactNode {
    const { close, isOpen = true, children } = this.props;
    const { failure } = this.state;
    if (failure === undefined)
      return <Suspense fallback={!close && <Loading rows={3} />}>{children}</Suspense>;
    // A defect is shown by the screen.
    if (!(failure instanceof NoConnection || failure instanceof ConsoleUpdated)) throw failure;
    const shown = <Failed error={failure} retry={this.retry} />;
    if (!close) return shown;
    return isOpen && <FailedDialog close={close}>{shown}</FailedDialog>;
  }
}

function FailedDialog({ close, children }: { readonly close: () => void; readonly children: ReactNode }) {
  const { words } = useWords();
  return (
    <Dialog
      close={close}
      attributes={{ header: { role: 'presentation' }, content: { 'aria-label': words.shell.failed } }}
    >
      {children}
    </Dialog>
  );
}
