import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { removableToast } from '../shell/toasts.tsx';

/** Something that was removed from a target. */
interface Removed {
  /** Says that it is removed. */
  readonly text: string;
  /** Brings it back. */
  readonly restore: () => void;
  /** Moves the focus to what came back. */
  readonly focus: () => void;
}

/** Returns a function that reports a removal with “Undo”, which is offered as long as the target is shown. */
export function useRemoved(): (removed: Removed) => void {
  const offered = useRef<(() => void)[]>([]);
  // A draft that is no longer shown could not show what came back, nor a conflict that follows.
  useEffect(
    () => () => {
      for (const dismiss of offered.current) dismiss();
    },
    [],
  );
  return ({ text, restore, focus }) => {
    const undo = () => {
      flushSync(restore);
      focus();
    };
    offered.current.push(removableToast({ text, seconds: 10, undo }));
  };
}
