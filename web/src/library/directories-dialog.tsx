import { MultiSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ChoiceState } from '../parts/choice-state.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useSearchable } from '../parts/searchable.ts';
import { SubmitForm } from '../parts/submit-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { type Directory, type DirectoryType, placed, useDirectories } from './directories.ts';

interface DirectoriesDialogProps {
  readonly type: DirectoryType;
  /** The name of what is sorted into directories. */
  readonly name: string;
  /** The beginning of the keys of its queries, without the site. */
  readonly queryKey: string;
  readonly id: number;
  readonly read: () => Promise<readonly Directory[]>;
  readonly store: (ids: number[]) => Promise<unknown>;
  readonly close: () => void;
}

/** Lets the user choose the directories that one thing is in. */
export function DirectoriesDialog(props: DirectoriesDialogProps) {
  const { type, name, queryKey, id, read, store, close } = props;
  const parts = usePartWords();
  const searchable = useSearchable();
  const texts = parts.directories;
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const all = useDirectories(type);
  const current = useQuery({ queryKey: [queryKey, site.name, 'directories', id], gcTime: 0, queryFn: read });
  /** Undefined until others are chosen. */
  const [chosen, setChosen] = useState<string[]>();
  const before = current.data?.map((directory) => directory.id);
  const write = async (ids: number[]) => {
    await store(ids);
    await queries.invalidateQueries({ queryKey: [queryKey, site.name] });
  };
  const save = async () => {
    if (!chosen || !before) return undefined;
    await write(chosen.map(Number));
    toast({ text: texts.saved(name), seconds: 10, undo: () => act(() => write(before)) });
    return undefined;
  };
  const isLoaded = all.data !== undefined && current.data !== undefined;
  return (
    <Dialog close={close} title={texts.of(name)}>
      <SubmitForm save={save} saveLabel={parts.save} close={close}>
        <div>
          <MultiSelect
            data-autofocus
            label={texts.title}
            {...searchable}
            disabled={!isLoaded}
            maxDropdownHeight={280}
            data={placed(all.data ?? []).map(({ directory, path }) => ({
              value: String(directory.id),
              label: path,
            }))}
            value={chosen ?? before?.map(String) ?? []}
            onChange={setChosen}
          />
          <ChoiceState query={all.data ? current : all} />
        </div>
        {all.data?.length === 0 && <p className="small text-2">{texts.none}</p>}
      </SubmitForm>
    </Dialog>
  );
}
