import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { EditButton } from '../parts/edit-button.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { filterOf, ListPart } from './list-part.tsx';
import { type Thematic, useThematics } from './thematics.ts';
import { useLibraryWords } from './words.ts';

const route = getRouteApi('/$site/library/thematics');

/** What campaigns and advertisements are about, by which targets can select. */
export function ThematicsScreen() {
  const texts = useLibraryWords().thematics;
  const site = useSite();
  const navigate = useNavigate();
  const search = route.useSearch();
  const query = filterOf(search);
  const thematics = useQuery({
    queryKey: ['thematics', site.name, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/thematics', { params: { path: { idsite: site.name }, query } })),
  });
  const names = new Map(useThematics().data?.map((one) => [one.idThematic, one.name]));
  const [edited, setEdited] = useState<Thematic | 'new'>();
  const mayEdit = site.may('editor');
  return (
    <ListPart
      part="thematics"
      texts={texts}
      query={thematics}
      search={search}
      go={(next) =>
        void navigate({
          to: '/$site/library/thematics',
          params: { site: site.name },
          search: next,
          replace: true,
        })
      }
      add={mayEdit ? () => setEdited('new') : undefined}
      row={(thematic) => (
        <tr key={thematic.idThematic}>
          <td className="title anywhere">
            <bdi className="strong">{thematic.name}</bdi>
            {thematic.description !== '' && (
              <p className="small text-3">
                <bdi>{thematic.description}</bdi>
              </p>
            )}
          </td>
          <td className="text-2 anywhere">
            <bdi>{thematic.idParentThematic === null ? '–' : names.get(thematic.idParentThematic)}</bdi>
          </td>
          <td>
            <span className={thematic.isEnabled ? 'state green' : 'state'}>
              {thematic.isEnabled ? (
                <IconCircleCheck size={16} stroke={1.75} aria-hidden />
              ) : (
                <IconCircleX size={16} stroke={1.75} aria-hidden />
              )}
              {thematic.isEnabled ? texts.enabled : texts.disabled}
            </span>
          </td>
          {mayEdit && (
            <td className="acts">
              <EditButton name={thematic.name} edit={() => setEdited(thematic)} />
            </td>
          )}
        </tr>
      )}
    >
      {edited && (
        <ThematicForm thematic={edited === 'new' ? undefined : edited} close={() => setEdited(undefined)} />
      )}
    </ListPart>
  );
}

function ThematicForm({ thematic, close }: ThematicFormProps) {
  const texts = useLibraryWords().thematics;
  const site = useSite();
  const queries = useQueryClient();
  const all = useThematics().data ?? [];
  const [name, setName] = useState(thematic?.name ?? '');
  const [description, setDescription] = useState(thematic?.description ?? '');
  const [parent, setParent] = useState(String(thematic?.idParentThematic ?? ''));
  const [isEnabled, setEnabled] = useState(thematic?.isEnabled ?? true);
  const save = async () => {
    if (name.trim() === '') return texts.noName;
    const params = { path: { idsite: site.name } };
    const body = {
      name: name.trim(),
      description: description.trim(),
      idParentThematic: Number(parent) || null,
      isEnabled,
    };
    if (thematic)
      await dataOf(
        api.PUT('/v1/{idsite}/thematics', { params, body: { ...body, idThematic: thematic.idThematic } }),
      );
    else await dataOf(api.POST('/v1/{idsite}/thematics', { params, body }));
    await queries.invalidateQueries({ queryKey: ['thematics', site.name] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  return (
    <FormDrawer title={thematic ? texts.change(thematic.name) : texts.add} close={close} save={save}>
      <TextInput
        data-autofocus
        label={texts.name}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={texts.parent}
        value={parent}
        onChange={(event) => setParent(event.currentTarget.value)}
      >
        <option value="">–</option>
        {all
          .filter(({ idThematic }) => idThematic !== thematic?.idThematic)
          .map((one) => (
            <option key={one.idThematic} value={one.idThematic}>
              {one.name}
            </option>
          ))}
      </NativeSelect>
      <Textarea
        label={texts.description}
        rows={3}
        maxLength={4000}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Switch
        label={texts.isEnabled}
        description={texts.isEnabledText}
        checked={isEnabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
    </FormDrawer>
  );
}
interface ThematicFormProps {
  /** Undefined for a new one. */
  readonly thematic: Thematic | undefined;
  readonly close: () => void;
}
