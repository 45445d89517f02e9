import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { dialogParts } from '../theme.ts';
import { useWords } from '../words/words.tsx';
import { useBackCloses } from './back-closes.ts';
import { useFocusOfOpener } from './use-focus-return.ts';
import { useIsPhone } from './use-is-phone.ts';
import { useSwipeDown } from './use-swipe-down.ts';
import './dialog.css';

interface OverScreen {
  /** Default: true. */
  readonly isOpen?: boolean;
  readonly close: () => void;
  /** Closes it when the browser goes back. Default: `close`. */
  readonly back?: () => void;
  readonly children: ReactNode;
}

interface DialogProps extends OverScreen, Omit<ModalProps, 'opened' | 'onClose' | 'children'> {}

/** A dialog in the middle of the screen; on a phone a sheet that comes from the bottom. */
export function Dialog({ isOpen = true, close, back = close, ...props }: DialogProps) {
  useFocusOfOpener(isOpen);
  const { closeOnEscape } = props;
  // One that Escape does not close has something that must be read or done first.
  useBackCloses(isOpen && closeOnEscape !== false, back);
  return <Modal opened={isOpen} onClose={close} {...useSheet(back, closeOnEscape)} {...props} />;
}

interface SideSheetProps extends OverScreen, Omit<DrawerProps, 'opened' | 'onClose' | 'children'> {}

/** A drawer from the right, beside the screen; on a phone a sheet that comes from the bottom. */
export function SideSheet({ isOpen = true, close, back = close, ...props }: SideSheetProps) {
  useFocusOfOpener(isOpen);
  useBackCloses(isOpen, back);
  return <Drawer opened={isOpen} onClose={close} {...useSheet(back, props.closeOnEscape)} {...props} />;
}

/**
 * What dialogs and drawers share: the name of their close button, how they come on a phone, and that a swipe on their
 * head closes them there as Back does.
 */
function useSheet(back: () => void, closeOnEscape = true) {
  const { words } = useWords();
  const isPhone = useIsPhone();
  const swipe = useSwipeDown(back);
  return {
    ...(isPhone && closeOnEscape && { attributes: { header: { ...dialogParts.header, ...swipe } } }),
    closeButtonProps: { 'aria-label': words.shell.close },
    transitionProps: { duration: 180, ...(isPhone && { transition: 'slide-up' as const }) },
  };
}
