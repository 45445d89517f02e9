import { Component, type ReactNode, Suspense } from 'react';
import { ConsoleUpdated, NoConnection } from '../api/api-error.ts';
import { forgetFailedLoads } from '../api/loads.ts';

const retryMs = 10_000;

interface ExtraProps {
  readonly children: ReactNode;
}

interface ExtraState {
  readonly failure?: unknown;
}

/**
 * A piece that a screen does without. While its code or its texts cannot be loaded, nothing is shown of it, it tries
 * again, and the screen stays as it is.
 */
export class Extra extends Component<ExtraProps, ExtraState> {
  override state: ExtraState = {};
  #retry: ReturnType<typeof setTimeout> | undefined;

  static getDerivedStateFromError(failure: unknown): ExtraState {
    return { failure };
  }

  override componentDidMount(): void {
    // Also after something above hid it for a moment.
    if (this.state.failure !== undefined) this.#tryLater();
  }

  override componentDidCatch(): void {
    forgetFailedLoads();
    this.#tryLater();
  }

  override componentWillUnmount(): void {
    clearTimeout(this.#retry);
  }

  #tryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.setState({ failure: undefined }), retryMs);
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return <Suspense>{this.props.children}</Suspense>;
    // A defect is shown by the screen.
    if (!(failure instanceof NoConnection || failure instanceof ConsoleUpdated)) throw failure;
    return null;
  }
}
