import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { changesOf, inPlace } from './list-changes.ts';

/** A list as it is shown while newer rows wait. */
export interface StillList<Row> {
  readonly rows: readonly Row[];
  /** Rows that were added, removed or moved since, and are not shown so yet. */
  readonly changed: number;
  /** Shows the newest rows in their order. */
  readonly take: () => void;
  /** For the element around the list: the rows stay in their places while the pointer or the focus is on it. */
  readonly around: object;
}

interface Shown<Row> {
  readonly key: string;
  readonly taken: number;
  readonly rows: readonly Row[];
}

/**
 * Keeps rows in their places while somebody works on them. Their values are always the newest.
 * @param fresh the newest rows
 * @param key what the list shows; undefined while rows of another search are shown
 */
export function useStillList<Row extends { readonly id: number }>(
  fresh: readonly Row[] | undefined,
  key: string | undefined,
): StillList<Row> | undefined {
  const element = useRef<HTMLDivElement>(null);
  const before = useRef<Shown<Row>>(undefined);
  const [taken, setTaken] = useState(0);
  const take = () => setTaken((now) => now + 1);
  const kept = before.current;
  const isKept = kept?.key === key && kept?.taken === taken && isUsed(element.current);
  const rows = fresh && (isKept ? inPlace(kept.rows, fresh) : fresh);
  useEffect(() => {
    before.current = rows && key !== undefined ? { key, taken, rows } : undefined;
  });
  if (!(fresh && rows)) return undefined;
  const changed = changesOf(rows, fresh);
  const leave = () => {
    if (changed > 0 && !isUsed(element.current)) take();
  };
  return {
    rows,
    changed,
    take,
    around: {
      ref: element,
      onPointerLeave: leave,
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLDivElement>) => {
        if (!currentTarget.contains(relatedTarget)) setTimeout(leave);
      },
    },
  };
}

const hasPointer = matchMedia('(hover: hover)').matches;

/** Whether the pointer or the focus is on an element. A touch leaves no pointer behind. */
const isUsed = (element: HTMLElement | null): boolean =>
  element?.matches(hasPointer ? ':hover, :focus-within' : ':focus-within') ?? false;
