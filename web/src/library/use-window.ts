import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react';

/** Rows beyond the screen that are drawn as well. */
const spareRows = 2;

/** Which rows of a grid are drawn, and how it is laid out. */
export interface GridWindow {
  readonly columns: number;
  readonly rowHeight: number;
  readonly rows: number;
  /** The first row that is drawn, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

interface GridLayout {
  readonly columns: number;
  readonly gap: number;
  /** The height of a cell of a width. */
  readonly heightOf: (width: number) => number;
}

/**
 * Watches the part of a grid that is on the screen, so that only its cells are drawn: a page of 10,000 would freeze.
 * All rows have one height, which follows from the width.
 */
export function useGridWindow(
  grid: RefObject<HTMLElement | null>,
  count: number,
  layout: GridLayout,
): GridWindow {
  const [shown, setShown] = useState({ width: 0, top: 0, height: 0 });
  const measure = useCallback(() => {
    const box = grid.current?.getBoundingClientRect();
    if (!box) return;
    setShown((before) => {
      const next = { width: box.width, top: Math.max(0, -box.top), height: window.innerHeight };
      const isSame = (Object.keys(next) as (keyof typeof next)[]).every((key) => next[key] === before[key]);
      return isSame ? before : next;
    });
  }, [grid]);
  useLayoutEffect(measure);
  useEffect(() => {
    let frame = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(measure);
    };
    window.addEventListener('scroll', later, { passive: true });
    window.addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
      window.removeEventListener('resize', later);
    };
  }, [measure]);
  const { columns, gap, heightOf } = layout;
  const width = (shown.width - gap * (columns - 1)) / columns;
  const rowHeight = heightOf(Math.max(0, width)) + gap;
  const rows = Math.ceil(count / columns);
  const first = Math.max(0, Math.floor(shown.top / rowHeight) - spareRows);
  const end = Math.min(rows, Math.ceil((shown.top + shown.height) / rowHeight) + spareRows);
  return { columns, rowHeight, rows, first, end };
}
