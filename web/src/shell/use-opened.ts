import { useEffect, useState } from 'react';

/** Whether a dialog is open, after it has been there closed: a dialog notes where the focus was when it opens. */
export function useOpened(isOpen: boolean): boolean {
  const [isOpened, setOpened] = useState(false);
  useEffect(() => setOpened(isOpen), [isOpen]);
  return isOpened;
}
