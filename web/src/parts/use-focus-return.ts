import { useEffect, useState } from 'react';

/** The element that opens something: of a menu's item, which goes with its menu, the button of the menu. */
function openerOf(element: Element | null): HTMLElement | null {
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return (button ? document.getElementById(button) : element) as HTMLElement | null;
}

/** Brings the focus back to where it came from when the component is removed; to the content if that is gone. */
export function useFocusReturn(): void {
  const [opener] = useState(() => openerOf(document.activeElement));
  useEffect(
    () => () => {
      const target = opener?.isConnected ? opener : document.getElementById('content');
      target?.focus({ preventScroll: true });
    },
    [opener],
  );
}
