import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { EditButton } from '../parts/edit-button.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { filterOf, ListPart } from './list-part.tsx';
import { useLibraryWords } from './words.ts';

type Affiliation = components['schemas']['Affiliation'];

const route = getRouteApi('/$site/library/affiliations');

/** The affiliation platforms through which advertisements come. */
export function AffiliationsScreen() {
  const texts = useLibraryWords().affiliations;
  const site = useSite();
  const navigate = useNavigate();
  const search = route.useSearch();
  const query = filterOf(search);
  const affiliations = useQuery({
    queryKey: ['affiliations', site.name, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/affiliations', { params: { path: { idsite: site.name }, query } })),
  });
  const [edited, setEdited] = useState<Affiliation | 'new'>();
  const mayEdit = site.may('editor');
  return (
    <ListPart
      part="affiliations"
      texts={texts}
      query={affiliations}
      search={search}
      go={(next) =>
        void navigate({
          to: '/$site/library/affiliations',
          params: { site: site.name },
          search: next,
          replace: true,
        })
      }
      add={mayEdit ? () => setEdited('new') : undefined}
      row={(affiliation) => (
        <tr key={affiliation.id}>
          <td className="title anywhere">
            <bdi className="strong">{affiliation.name}</bdi>
          </td>
          <td className="text-2 anywhere">{affiliation.webSite}</td>
          {mayEdit && (
            <td className="acts">
              <EditButton name={affiliation.name} edit={() => setEdited(affiliation)} />
            </td>
          )}
        </tr>
      )}
    >
      {edited && (
        <AffiliationForm
          affiliation={edited === 'new' ? undefined : edited}
          close={() => setEdited(undefined)}
        />
      )}
    </ListPart>
  );
}

function AffiliationForm({ affiliation, close }: AffiliationFormProps) {
  const texts = useLibraryWords().affiliations;
  const site = useSite();
  const queries = useQueryClient();
  const [name, setName] = useState(affiliation?.name ?? '');
  const [webSite, setWebSite] = useState(affiliation?.webSite ?? '');
  const save = async () => {
    if (name.trim() === '') return texts.noName;
    if (!/^https?:\/\//.test(webSite.trim())) return texts.noWebSite;
    const params = { path: { idsite: site.name } };
    const body = { name: name.trim(), webSite: webSite.trim() };
    if (affiliation)
      await dataOf(api.PUT('/v1/{idsite}/affiliations', { params, body: { ...body, id: affiliation.id } }));
    else await dataOf(api.POST('/v1/{idsite}/affiliations', { params, body }));
    await queries.invalidateQueries({ queryKey: ['affiliations', site.name] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  return (
    <FormDrawer title={affiliation ? texts.change(affiliation.name) : texts.add} close={close} save={save}>
      <TextInput
        data-autofocus
        label={texts.name}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        type="url"
        label={texts.webSite}
        placeholder="https://"
        maxLength={2000}
        value={webSite}
        onChange={(event) => setWebSite(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
interface AffiliationFormProps {
  /** Undefined for a new one. */
  readonly affiliation: Affiliation | undefined;
  readonly close: () => void;
}
