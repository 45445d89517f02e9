import { useEffect, useState } from 'react';

/** The element that opens something: of a menu's item, which goes with its menu, the button of the menu. */
function openerOf(element: Element | null): HTMLElement | null {
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return (button ? document.getElementById(button) : element) as HTMLElement | null;
}

/**
 * Brings a lost focus back to where it came from when the component is removed; to the content if that is gone.
 * @param isOver whether the component is over the screen from its beginning, and takes the focus
 */
export function useFocusReturn(isOver = true): void {
  const [isWanted] = useState(isOver);
  const [opener] = useState(() => openerOf(document.activeElement));
  useEffect(
    () => () => {
      if (!isWanted || document.activeElement !== document.body) return;
      const target = opener?.isConnected ? opener : document.getElementById('content');
      target?.focus({ preventScroll: true });
    },
    [opener, isWanted],
  );
}
