import { NativeSelect, TextInput } from '@mantine/core';
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

type Advertiser = components['schemas']['Advertiser'];
type Sector = Advertiser['sector'];

const route = getRouteApi('/$site/library/advertisers');

/** The advertisers whose advertisements messages show. */
export function AdvertisersScreen() {
  const texts = useLibraryWords().advertisers;
  const site = useSite();
  const navigate = useNavigate();
  const search = route.useSearch();
  const query = filterOf(search);
  const advertisers = useQuery({
    queryKey: ['advertisers', site.name, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/advertisers', { params: { path: { idsite: site.name }, query } })),
  });
  const [edited, setEdited] = useState<Advertiser | 'new'>();
  const mayEdit = site.may('editor');
  return (
    <ListPart
      part="advertisers"
      texts={texts}
      query={advertisers}
      search={search}
      go={(next) =>
        void navigate({
          to: '/$site/library/advertisers',
          params: { site: site.name },
          search: next,
          replace: true,
        })
      }
      add={mayEdit ? () => setEdited('new') : undefined}
      row={(advertiser) => (
        <tr key={advertiser.id}>
          <td className="title anywhere">
            <bdi className="strong">{advertiser.name}</bdi>
          </td>
          <td className="text-2">{texts.sectors[advertiser.sector]}</td>
          {mayEdit && (
            <td className="acts">
              <EditButton name={advertiser.name} edit={() => setEdited(advertiser)} />
            </td>
          )}
        </tr>
      )}
    >
      {edited && (
        <AdvertiserForm
          advertiser={edited === 'new' ? undefined : edited}
          close={() => setEdited(undefined)}
        />
      )}
    </ListPart>
  );
}

function AdvertiserForm({ advertiser, close }: AdvertiserFormProps) {
  const texts = useLibraryWords().advertisers;
  const site = useSite();
  const queries = useQueryClient();
  const [name, setName] = useState(advertiser?.name ?? '');
  const [sector, setSector] = useState<Sector>(advertiser?.sector ?? 'NoSector');
  const save = async () => {
    if (name.trim() === '') return texts.noName;
    const params = { path: { idsite: site.name } };
    const body = { name: name.trim(), sector };
    if (advertiser)
      await dataOf(api.PUT('/v1/{idsite}/advertisers', { params, body: { ...body, id: advertiser.id } }));
    else await dataOf(api.POST('/v1/{idsite}/advertisers', { params, body }));
    await queries.invalidateQueries({ queryKey: ['advertisers', site.name] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  return (
    <FormDrawer title={advertiser ? texts.change(advertiser.name) : texts.add} close={close} save={save}>
      <TextInput
        data-autofocus
        label={texts.name}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={texts.sector}
        value={sector}
        onChange={(event) => setSector(event.currentTarget.value as Sector)}
        data={Object.entries(texts.sectors).map(([value, label]) => ({ value, label }))}
      />
    </FormDrawer>
  );
}
interface AdvertiserFormProps {
  /** Undefined for a new one. */
  readonly advertiser: Advertiser | undefined;
  readonly close: () => void;
}
