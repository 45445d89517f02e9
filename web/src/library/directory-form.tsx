import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { SelectField, TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { type Directory, type DirectoryType, placed, useDirectories } from './directories.ts';
import { useLibraryWords } from './words.ts';

/** Adds a directory, renames one, or moves one below another of its type. */
export function DirectoryForm({ dirType, directory, idParent, close }: DirectoryFormProps) {
  const texts = useLibraryWords().directories;
  const site = useSite();
  const queries = useQueryClient();
  const all = useDirectories(dirType).data ?? [];
  const draft = useFormDraft(`directory.${dirType}`, directory?.id);
  const [name, setName] = draft.field('name', directory?.name ?? '');
  const [parent, setParent] = draft.field('parent', String(directory?.idParent ?? idParent ?? ''));
  const save = async () => {
    if (name.trim() === '') return { name: texts.noName };
    const params = { path: { idsite: site.name } };
    const body = { name: name.trim(), idParent: Number(parent) || null };
    if (directory)
      await dataOf(
        api.PUT('/v1/{idsite}/pictures/directories', { params, body: { ...body, id: directory.id } }),
      );
    else await dataOf(api.POST('/v1/{idsite}/pictures/directories', { params, body: { ...body, dirType } }));
    await queries.invalidateQueries({ queryKey: ['directories', site.name] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      unique="name"
      title={directory ? texts.change(directory.name) : texts.add}
      close={close}
      save={save}
      saveLabel={directory ? undefined : texts.create}
    >
      <TextField
        property="name"
        data-autofocus
        label={texts.name}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SelectField
        property="idParent"
        label={texts.parent}
        value={parent}
        onChange={(event) => setParent(event.currentTarget.value)}
      >
        <option value="">{texts.top}</option>
        {placed(all)
          .filter((one) => one.directory.dirType === dirType && one.directory.id !== directory?.id)
          .map((one) => (
            <option key={one.directory.id} value={one.directory.id}>
              {one.path}
            </option>
          ))}
      </SelectField>
    </FormDrawer>
  );
}
interface DirectoryFormProps {
  readonly dirType: DirectoryType;
  /** Undefined for a new one. */
  readonly directory?: Directory | undefined;
  /** Where a new one is suggested to be. */
  readonly idParent?: number | undefined;
  readonly close: () => void;
}
