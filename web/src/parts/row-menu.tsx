import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { usePartWords } from '../words/use-part-words.ts';

/** The actions of a row, behind three dots. */
export function RowMenu({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const parts = usePartWords();
  return <DotsMenu label={parts.actions(name)}>{children}</DotsMenu>;
}

/** A menu behind three dots. */
export function DotsMenu({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={label} title={label}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
