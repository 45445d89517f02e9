import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls links that are wider than the screen, so that the current one is in sight. */
export function useCurrentInSight(): RefObject<HTMLElement | null> {
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = links.current?.querySelector<HTMLElement>('[aria-current]');
    if (current) links.current?.scrollTo({ left: current.offsetLeft - links.current.offsetLeft - 40 });
  }, []);
  return links;
}
