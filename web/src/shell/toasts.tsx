import { Button } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { useWords } from '../words/words.tsx';

/** A message at the edge of the screen, shown for some seconds. */
export interface Toast {
  /** The text, from the seconds that are left. */
  readonly text: string | ((secondsLeft: number) => string);
  /** How long it is shown, in seconds. Default: 5. */
  readonly seconds?: number;
  /** Takes back what was done; the message then has a button for it. A refusal is said by another message. */
  readonly undo?: () => void | Promise<void>;
  /** Another way on; the message then has a button for it, and stays beside others. */
  readonly action?: { readonly label: string; readonly run: () => void | Promise<void> };
  /** Called when its time is over without an undo. */
  readonly onEnd?: () => void;
}

interface Shown extends Toast {
  readonly id: number;
  readonly endsAt: number;
}

let shown: readonly Shown[] = [];
let ids = 0;
const listeners = new Set<() => void>();

function show(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

const remove = (id: number) => show(shown.filter((one) => one.id !== id));

/** Shows a message instead of the one that is shown; one with a button stays beside it until its time is over. */
export function toast(message: Toast): void {
  removableToast(message);
}

/** Shows a message as `toast` does, and returns a function that takes it away. */
export function removableToast(message: Toast): () => void {
  ids += 1;
  const id = ids;
  const stay = shown.filter(({ undo, action, onEnd }) => undo || action || onEnd);
  show([...stay, { ...message, id, endsAt: Date.now() + (message.seconds ?? 5) * 1000 }]);
  return () => remove(id);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** A long text must not cut the words of a button. */
const whole = { flex: 'none' };

/** The place of messages; once, in the frame. */
export function Toasts() {
  const current = useSyncExternalStore(subscribe, () => shown);
  return (
    <div className="toasts" role="status" aria-live="polite" aria-atomic={false}>
      {current.map((one) => (
        <ToastView key={one.id} toast={one} />
      ))}
    </div>
  );
}

function ToastView({ toast: { id, text, endsAt, undo, action, onEnd } }: { readonly toast: Shown }) {
  const { words } = useWords();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() < endsAt) return;
      clearInterval(timer);
      remove(id);
      onEnd?.();
    }, 250);
    return () => clearInterval(timer);
  }, [id, endsAt, onEnd]);
  const refusal = useRefusal();
  const press = async (act: () => void | Promise<void>) => {
    // The button goes, and the focus would go with it.
    document.getElementById('content')?.focus({ preventScroll: true });
    remove(id);
    try {
      await act();
    } catch (failure) {
      toast({ text: refusal(failure), seconds: 10 });
    }
  };
  const left = Math.max(0, Math.ceil((endsAt - now) / 1000));
  return (
    <div className="toast">
      {/* Read out once: a countdown that speaks each second drowns the rest. */}
      <span aria-live={typeof text === 'string' ? undefined : 'off'}>
        {typeof text === 'string' ? text : text(left)}
      </span>
      {action && (
        <Button size="xs" style={whole} onClick={() => void press(action.run)}>
          {action.label}
        </Button>
      )}
      {undo && (
        <Button size="xs" style={whole} onClick={() => void press(undo)}>
          {words.shell.undo}
        </Button>
      )}
    </div>
  );
}
