import { ActionIcon } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { usePartWords } from '../words/use-part-words.ts';

/** Opens the form of a row. */
export function EditButton({ name, edit }: { readonly name: string; readonly edit: () => void }) {
  const label = usePartWords().editOf(name);
  return (
    <ActionIcon aria-label={label} title={label} onClick={edit}>
      <IconPencil size={16} aria-hidden />
    </ActionIcon>
  );
}
