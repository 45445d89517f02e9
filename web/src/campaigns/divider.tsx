import { type CSSProperties, type KeyboardEvent, type PointerEvent, useState } from 'react';
import { useMe } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';

/** The share of the source in the width that it has together with the preview, in percent. */
const shares = { least: 25, usual: 50, most: 75 } as const;
/** The step of an arrow key, in percent. */
const step = 2;

const clamped = (share: number): number => Math.min(Math.max(Math.round(share), shares.least), shares.most);

/** The share of the source as this user left it in this browser, and a way to change it. */
export function useSourceShare() {
  const key = `facteur.source-share.${useMe().user.id}`;
  const [share, setShare] = useState(() => clamped(Number(localStorage.getItem(key) ?? shares.usual)));
  const change = (next: number) => {
    setShare(clamped(next));
    localStorage.setItem(key, String(clamped(next)));
  };
  // Read by composer.css where the two are side by side.
  const style = { '--source': `${share}fr`, '--preview': `${100 - share}fr` } as CSSProperties;
  return { share, change, style };
}

interface DividerProps {
  readonly share: number;
  readonly change: (share: number) => void;
}

/** The line between source and preview: dragged by a pointer, or moved by the arrow keys. */
export function Divider({ share, change }: DividerProps) {
  const { words } = useWords();
  const drag = (event: PointerEvent<HTMLElement>) => {
    const panes = event.currentTarget.parentElement;
    if (!panes || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { left, width } = panes.getBoundingClientRect();
    change((100 * (event.clientX - left)) / width);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ...{ ArrowLeft: share - step, ArrowRight: share + step },
      ...{ Home: shares.least, End: shares.most },
    }[event.key];
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    change(next);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      className="composer-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={words.composer.divider}
      title={words.composer.divider}
      aria-valuenow={share}
      aria-valuemin={shares.least}
      aria-valuemax={shares.most}
      onKeyDown={onKeyDown}
      onDoubleClick={() => change(shares.usual)}
      // The frame of the preview would take the pointer.
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}
