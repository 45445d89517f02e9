import { Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { RowMenu } from '../parts/row-menu.tsx';
import { foundIn } from '../parts/searched-here.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { AdvertisementForm } from './advertisement-form.tsx';
import { ListPart } from './list-part.tsx';
import { useAdvertiserChoices } from './thematics.ts';
import { useLibraryWords } from './words.ts';

export type Advertisement = components['schemas']['Advertisement'];

const route = getRouteApi('/$site/library/advertisements');

/** The advertisements that messages show. The service lists all of them; search and pages are made here. */
export function AdvertisementsScreen() {
  const texts = useLibraryWords().advertisements;
  const site = useSite();
  const navigate = useNavigate();
  const search = route.useSearch();
  const { archive = false } = search;
  const advertisements = useQuery({
    queryKey: ['advertisements', site.name],
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/advertisements', { params: { path: { idsite: site.name } } })),
    select: (all) => {
      const newestFirst = all.filter(({ isArchive }) => isArchive === archive).sort((a, b) => b.id - a.id);
      return foundIn(newestFirst, search, ({ name }) => name);
    },
  });
  const { advertisers } = useAdvertiserChoices();
  const [edited, setEdited] = useState<Advertisement | 'new'>();
  const mayEdit = site.may('editor');
  const go = (next: typeof search) =>
    void navigate({
      to: '/$site/library/advertisements',
      params: { site: site.name },
      search: next,
      replace: true,
    });
  return (
    <ListPart
      part="advertisements"
      texts={archive ? { ...texts, empty: texts.noArchived, emptyText: '' } : texts}
      query={advertisements}
      search={search}
      go={go}
      add={mayEdit ? () => setEdited('new') : undefined}
      filters={
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
        <div className="segments" role="group" aria-label={texts.which}>
          {[false, true].map((one) => (
            <button
              key={String(one)}
              type="button"
              aria-pressed={one === archive}
              onClick={() => go({ ...search, archive: one, page: undefined })}
            >
              {one ? texts.archive : texts.used}
            </button>
          ))}
        </div>
      }
      row={(advertisement) => (
        <AdvertisementRow
          key={advertisement.id}
          advertisement={advertisement}
          advertiser={advertisers.find(({ id }) => id === advertisement.idAdvertiser)?.name}
          edit={mayEdit ? setEdited : undefined}
        />
      )}
    >
      {edited && (
        <AdvertisementForm
          advertisement={edited === 'new' ? undefined : edited}
          close={() => setEdited(undefined)}
        />
      )}
    </ListPart>
  );
}

function AdvertisementRow({ advertisement, advertiser, edit }: AdvertisementRowProps) {
  const texts = useLibraryWords().advertisements;
  const parts = usePartWords();
  const { format } = useWords();
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const { id, name, isArchive, updateDate } = advertisement;
  const setArchived = async (next: boolean) => {
    await dataOf(
      api.PUT('/v1/{idsite}/advertisements', {
        params: { path: { idsite: site.name } },
        body: { id, isArchive: next },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['advertisements', site.name] });
  };
  const archive = async () => {
    await setArchived(!isArchive);
    toast({
      text: isArchive ? texts.restored(name) : texts.archived(name),
      seconds: 10,
      undo: () => act(() => setArchived(isArchive)),
    });
  };
  return (
    <tr>
      <td className="title anywhere">
        <bdi className="strong">{name}</bdi>
      </td>
      <td className="text-2 anywhere">
        <bdi>{advertiser ?? '–'}</bdi>
      </td>
      <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
        {format.moment(updateDate)}
      </td>
      {edit && (
        <td className="acts">
          <RowMenu name={name}>
            <Menu.Item onClick={() => edit(advertisement)}>{parts.edit}</Menu.Item>
            <Menu.Item onClick={() => act(archive)}>{isArchive ? texts.restore : texts.toArchive}</Menu.Item>
          </RowMenu>
        </td>
      )}
    </tr>
  );
}
interface AdvertisementRowProps {
  readonly advertisement: Advertisement;
  readonly advertiser: string | undefined;
  /** Undefined if it cannot be changed. */
  readonly edit: ((advertisement: Advertisement) => void) | undefined;
}
