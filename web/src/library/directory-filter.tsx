import { NativeSelect } from '@mantine/core';
import { usePartWords } from '../words/use-part-words.ts';
import { type DirectoryType, placed, useDirectories } from './directories.ts';

interface DirectoryFilterProps {
  readonly type: DirectoryType;
  /** Undefined for every directory. */
  readonly value: number | undefined;
  readonly choose: (idDirectory: number | undefined) => void;
}

/** Limits a list to one directory; nothing while there is none. */
export function DirectoryFilter({ type, value, choose }: DirectoryFilterProps) {
  const texts = usePartWords().directories;
  const { data } = useDirectories(type);
  if (value === undefined && !data?.length) return null;
  const options = placed(data ?? []).map(({ directory, path }) => ({
    value: String(directory.id),
    label: path,
  }));
  return (
    <NativeSelect
      aria-label={texts.where}
      value={value ?? ''}
      onChange={(event) => choose(Number(event.currentTarget.value) || undefined)}
      data={[{ value: '', label: texts.everywhere }, ...options]}
    />
  );
}
