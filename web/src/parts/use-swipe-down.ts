import { type PointerEvent, useRef } from 'react';

/** From so many pixels on, a release closes the sheet. */
const farEnough = 90;
/** A shorter swipe closes it too, if it is so fast, in pixels per millisecond, and that long. */
const fastEnough = 0.5;
const fewest = 24;
/** How long a sheet takes to return to its place. */
const returnMs = 180;

interface Swipe {
  readonly id: number;
  readonly from: number;
  readonly at: number;
}

const contentOf = (head: HTMLElement) => head.closest<HTMLElement>('[role=dialog]');
const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Leads the sheet back to its place, at once where motion is reduced. */
function settle(content: HTMLElement): void {
  content.style.transition = isStill() ? '' : `transform ${returnMs}ms`;
  content.style.transform = '';
  setTimeout(() => {
    content.style.transition = '';
  }, returnMs);
}

/**
 * What the head of a sheet needs so that a swipe downwards closes the sheet: it follows the finger, and what is below
 * the head scrolls as before. The mouse and the keyboard have the button.
 */
export function useSwipeDown(close: () => void) {
  const swipe = useRef<Swipe>(undefined);
  const lengthOf = ({ clientY }: PointerEvent) => Math.max(0, clientY - (swipe.current?.from ?? clientY));
  const isOther = ({ pointerId }: PointerEvent) => swipe.current?.id !== pointerId;
  return {
    'data-swipe': true,
    onPointerDown({ pointerType, isPrimary, pointerId, clientY, timeStamp }: PointerEvent) {
      if (pointerType !== 'mouse' && isPrimary)
        swipe.current = { id: pointerId, from: clientY, at: timeStamp };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const content = contentOf(event.currentTarget);
      if (isOther(event) || !content) return;
      content.style.transform = `translateY(${lengthOf(event)}px)`;
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const content = contentOf(event.currentTarget);
      if (isOther(event) || !content) return;
      const length = lengthOf(event);
      const speed = length / Math.max(1, event.timeStamp - swipe.current!.at);
      swipe.current = undefined;
      if (length < farEnough && (length < fewest || speed < fastEnough)) return settle(content);
      const { transform } = content.style;
      close();
      // One that asks first is still there; one that closes goes on from where it is.
      setTimeout(() => {
        if (content.isConnected && content.style.transform === transform) settle(content);
      }, returnMs);
    },
    onPointerCancel(event: PointerEvent<HTMLElement>) {
      const content = contentOf(event.currentTarget);
      if (isOther(event) || !content) return;
      swipe.current = undefined;
      settle(content);
    },
  };
}
