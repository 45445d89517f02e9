import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { useFocusOfOpener } from './use-focus-return.ts';
import { useIsPhone } from './use-is-phone.ts';
import './dialog.css';

interface OverScreen {
  /** Default: true. */
  readonly isOpen?: boolean;
  readonly close: () => void;
  readonly children: ReactNode;
}

interface DialogProps extends OverScreen, Omit<ModalProps, 'opened' | 'onClose' | 'children'> {}

/** A dialog in the middle of the screen; on a phone a sheet that comes from the bottom. */
export function Dialog({ isOpen = true, close, ...props }: DialogProps) {
  useFocusOfOpener(isOpen);
  return <Modal opened={isOpen} onClose={close} {...useSheet()} {...props} />;
}

interface SideSheetProps extends OverScreen, Omit<DrawerProps, 'opened' | 'onClose' | 'children'> {}

/** A drawer from the right, beside the screen; on a phone a sheet that comes from the bottom. */
export function SideSheet({ isOpen = true, close, ...props }: SideSheetProps) {
  useFocusOfOpener(isOpen);
  return <Drawer opened={isOpen} onClose={close} {...useSheet()} {...props} />;
}

/** What dialogs and drawers share: the name of their close button, and how they come on a phone. */
function useSheet() {
  const { words } = useWords();
  const isPhone = useIsPhone();
  return {
    closeButtonProps: { 'aria-label': words.shell.close },
    transitionProps: { duration: 180, ...(isPhone && { transition: 'slide-up' as const }) },
  };
}
