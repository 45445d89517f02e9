import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { usePartWords } from '../words/use-part-words.ts';

interface MenuProps {
  /** Whether its button stays where it is while the screen scrolls, as in a bar at the bottom. Default: false. */
  readonly isFixed?: boolean;
  readonly children: ReactNode;
}

/** The actions of a row, behind three dots. */
export function RowMenu({ name, ...props }: MenuProps & { readonly name: string }) {
  const parts = usePartWords();
  return <DotsMenu label={parts.actions(name)} {...props} />;
}

/** A menu behind three dots. */
export function DotsMenu({ label, isFixed = false, children }: MenuProps & { readonly label: string }) {
  return (
    <Menu position="bottom-end" floatingStrategy={isFixed ? 'fixed' : 'absolute'}>
      <Menu.Target>
        <ActionIcon aria-label={label} title={label}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
