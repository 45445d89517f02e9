import { ActionIcon, Menu } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { DirectoriesDialog } from '../library/directories-dialog.tsx';
import { PartList } from '../parts/part-list.tsx';
import { type PartSearch, pageSize } from '../parts/part-search.ts';
import { RowMenu } from '../parts/row-menu.tsx';
import { Empty } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { senderParts } from './routes.ts';
import { SenderForm } from './sender-form.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useSettingsWords } from './words.ts';

export type Sender = components['schemas']['SendingConfiguration'];
type Listed = components['schemas']['ListedSendingConfiguration'];

type SenderSearch = PartSearch<(typeof senderParts)[number]>;

const route = getRouteApi('/$site/settings/senders');

function useSenders({ search, part, directory, page = 1 }: SenderSearch) {
  const site = useSite();
  const query = {
    'filter.sortBy': 'Name',
    'filter.order': 'ASC',
    'filter.start': (page - 1) * pageSize,
    'filter.limit': pageSize,
    ...(part === 'archive' && { 'filter.location': 'Archives' }),
    ...(directory !== undefined && { 'filter.location': String(directory) }),
    ...(search && { 'filter.name': search }),
  } as const;
  return useQuery({
    queryKey: ['sending-configurations', site.name, 'list', query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/sending-configurations', { params: { path: { idsite: site.name }, query } }),
      ),
  });
}

/** The sending configurations: who messages come from, and what surrounds their content. */
export function SendersScreen() {
  const texts = useSettingsWords().senders;
  const parts = usePartWords();
  const site = useSite();
  const navigate = useNavigate();
  const search = route.useSearch();
  const senders = useSenders(search);
  const [edited, setEdited] = useState<Sender | 'new'>();
  /** The configuration whose directories are chosen. */
  const [inDirectories, setInDirectories] = useState<Sender>();
  const mayEdit = site.may('editor');
  const go = (next: SenderSearch) =>
    void navigate({
      to: '/$site/settings/senders',
      params: { site: site.name },
      search: next,
      replace: true,
    });
  return (
    <SettingsPage
      section="senders"
      query={senders}
      add={mayEdit ? { label: texts.add, run: () => setEdited('new') } : undefined}
    >
      {() => (
        <>
          <PartList
            texts={{
              ...texts,
              parts: { used: texts.used, archive: texts.archive },
              nothingInPart: search.part === 'archive' ? texts.noArchived : texts.nothingHere,
              clear: parts.showAll,
            }}
            parts={senderParts}
            directories="Config"
            search={search}
            go={go}
            query={senders}
            table={(items) => (
              <SenderTable
                items={items}
                edit={mayEdit ? setEdited : undefined}
                chooseDirectories={setInDirectories}
              />
            )}
            empty={<Empty title={texts.empty} text={texts.emptyText} />}
          />
          {edited && (
            <SenderForm sender={edited === 'new' ? undefined : edited} close={() => setEdited(undefined)} />
          )}
          {inDirectories && (
            <SenderDirectories sender={inDirectories} close={() => setInDirectories(undefined)} />
          )}
        </>
      )}
    </SettingsPage>
  );
}

function SenderTable({ items, edit, chooseDirectories }: SenderTableProps) {
  const { columns } = useSettingsWords().senders;
  const parts = usePartWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th className="acts">
            <span className="hidden">{columns.favourite}</span>
          </th>
          <th>{columns.name}</th>
          <th>{columns.from}</th>
          <th>{columns.replies}</th>
          {edit && (
            <th className="acts">
              <span className="hidden">{parts.edit}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <SenderRow key={item.config.id} item={item} edit={edit} chooseDirectories={chooseDirectories} />
        ))}
      </tbody>
    </table>
  );
}
interface SenderTableProps {
  readonly items: readonly Listed[];
  /** Undefined if they cannot be changed. */
  readonly edit: ((sender: Sender) => void) | undefined;
  /** Lets the user choose the directories of one. */
  readonly chooseDirectories: (sender: Sender) => void;
}

function SenderRow({ item: { config, isFavourite, directories }, edit, chooseDirectories }: SenderRowProps) {
  const texts = useSettingsWords().senders;
  const parts = usePartWords();
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const path = { idsite: site.name, idConfig: config.id };
  const renew = () => queries.invalidateQueries({ queryKey: ['sending-configurations', site.name] });
  const setArchived = async (isArchive: boolean) => {
    await dataOf(
      api.PUT('/v1/{idsite}/sending-configurations', {
        params: { path: { idsite: site.name } },
        body: { id: config.id, isArchive },
      }),
    );
    await renew();
  };
  const archive = async () => {
    await setArchived(!config.isArchive);
    toast({
      text: config.isArchive ? texts.restored(config.name) : texts.archived(config.name),
      seconds: 10,
      undo: () => act(() => setArchived(config.isArchive)),
    });
  };
  const setFavourite = async () => {
    await dataOf(
      api.PUT('/v1/{idsite}/sending-configurations/{idConfig}/favourite', {
        params: { path },
        body: !isFavourite,
      }),
    );
    await renew();
  };
  const duplicate = async () => {
    const copy = await dataOf(
      api.POST('/v1/{idsite}/sending-configurations/{idConfig}/duplicate', { params: { path } }),
    );
    await renew();
    toast({ text: texts.duplicated(copy.name) });
  };
  const star = isFavourite ? texts.noFavourite(config.name) : texts.favourite(config.name);
  return (
    <tr>
      <td className="acts">
        <ActionIcon
          aria-label={star}
          title={star}
          aria-pressed={isFavourite}
          onClick={() => act(setFavourite)}
        >
          {isFavourite ? (
            <IconStarFilled size={18} className="amber" aria-hidden />
          ) : (
            <IconStar size={18} className="text-3" aria-hidden />
          )}
        </ActionIcon>
      </td>
      <td className="title anywhere">
        <bdi className="strong">{config.name}</bdi>
        {directories !== '' && (
          <p className="small text-3">
            <bdi>{directories}</bdi>
          </p>
        )}
      </td>
      <td className="anywhere">
        <bdi>{config.senderAlias}</bdi>
        <p className="small text-3">{config.senderEMail}</p>
      </td>
      <td className="text-2 anywhere" data-lead={texts.columns.replies}>
        {config.responseEMail}
      </td>
      {edit && (
        <td className="acts">
          <RowMenu name={config.name}>
            <Menu.Item onClick={() => edit(config)}>{parts.edit}</Menu.Item>
            <Menu.Item onClick={() => act(duplicate)}>{texts.duplicate}</Menu.Item>
            <Menu.Item onClick={() => chooseDirectories(config)}>{parts.directories.title}</Menu.Item>
            <Menu.Item onClick={() => act(archive)}>
              {config.isArchive ? texts.restore : texts.toArchive}
            </Menu.Item>
          </RowMenu>
        </td>
      )}
    </tr>
  );
}
interface SenderRowProps {
  readonly item: Listed;
  readonly edit: ((sender: Sender) => void) | undefined;
  /** Lets the user choose the directories of one. */
  readonly chooseDirectories: (sender: Sender) => void;
}

function SenderDirectories({ sender, close }: { readonly sender: Sender; readonly close: () => void }) {
  const site = useSite();
  const params = { path: { idsite: site.name, idConfig: sender.id } };
  return (
    <DirectoriesDialog
      type="Config"
      name={sender.name}
      queryKey="sending-configurations"
      id={sender.id}
      read={() => dataOf(api.GET('/v1/{idsite}/sending-configurations/{idConfig}/directories', { params }))}
      store={(body) =>
        dataOf(api.PUT('/v1/{idsite}/sending-configurations/{idConfig}/directories', { params, body }))
      }
      close={close}
    />
  );
}
