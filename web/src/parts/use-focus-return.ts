import { useEffect, useState } from 'react';

/** The element that opens something: of a menu's item, which goes with its menu, the button of the menu. */
function openerOf(element: Element | null): HTMLElement | null {
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return (button ? document.getElementById(button) : element) as HTMLElement | null;
}

/** Brings a lost focus back to where it came from when the component is removed; to the content if that is gone. */
export function useFocusReturn(): void {
  useReturn(true, true);
}

/**
 * Brings the lost focus of a dialog back to what opened it, if that is still there.
 * @param isOpened whether the dialog is open from its beginning: another one returns the focus when it closes
 */
export function useFocusOfOpener(isOpened: boolean): void {
  useReturn(isOpened, false);
}

function useReturn(isWanted: boolean, toContent: boolean): void {
  const [opener] = useState(() => (isWanted ? openerOf(document.activeElement) : null));
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return;
      const target = opener?.isConnected ? opener : toContent && document.getElementById('content');
      if (target) target.focus({ preventScroll: true });
    },
    [opener, toContent],
  );
}
