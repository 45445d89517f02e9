import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconLock, IconLockOpen, IconPlus, IconStar, IconStarFilled } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { useCurrentRow } from '../parts/list.tsx';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { PartList } from '../parts/part-list.tsx';
import { pageSize } from '../parts/part-search.ts';
import { Empty, Page } from '../parts/states.tsx';
import { SubmitForm } from '../parts/submit-form.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { createTarget } from './create-target.ts';
import { useFavouriteTargets, useTargetActions } from './target.ts';
import { type TargetSearch, targetParts } from './target-search.ts';

const route = getRouteApi('/$site/targets');

const DirectoriesDialog = lazyPart(
  async () => (await import('../library/directories-dialog.tsx')).DirectoriesDialog,
);

type Item = components['schemas']['TargetListItem'];

function useTargets({ search, part = 'All', directory, page = 1 }: TargetSearch) {
  const site = useSite();
  const query = {
    ...(search && { 'filter.name': search }),
    'filter.location': directory === undefined ? part : String(directory),
    'filter.sortBy': 'LastUpdateDate',
    'filter.order': 'DESC',
    'filter.start': (page - 1) * pageSize,
    'filter.limit': pageSize,
  } as const;
  return useQuery({
    queryKey: ['targets', site.name, 'list', query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/targets', { params: { path: { idsite: site.name }, query } })),
  });
}

/** All targets of the site: search, parts, pages. */
export function TargetListScreen() {
  const { words } = useWords();
  const texts = words.targets;
  const site = useSite();
  const search = route.useSearch();
  const navigate = useNavigate();
  // The menus of its rows need them; without this, the first row would hide the whole list until they are there.
  usePartWords();
  const [isCreating, setCreating] = useState(false);
  const create = site.may('editor') ? () => setCreating(true) : undefined;
  return (
    <Page
      title={texts.title}
      actions={
        create && (
          <Button variant="filled" leftSection={<IconPlus size={16} aria-hidden />} onClick={create}>
            {texts.new}
          </Button>
        )
      }
    >
      <PartList
        texts={texts}
        parts={targetParts}
        directories="Filter"
        search={search}
        go={(next) =>
          void navigate({
            to: '/$site/targets',
            params: { site: site.name },
            search: next,
            replace: true,
          })
        }
        query={useTargets(search)}
        empty={
          <Empty title={texts.empty} text={texts.emptyText}>
            {create && <Button onClick={create}>{texts.first}</Button>}
          </Empty>
        }
        table={(items) => <TargetTable items={items} isArchive={search.part === 'Archives'} />}
      />
      {isCreating && <CreateDialog close={() => setCreating(false)} />}
    </Page>
  );
}

function TargetTable({ items, isArchive }: TableProps) {
  const { words, format } = useWords();
  const { columns, test, ...texts } = words.targets;
  const site = useSite();
  const navigate = useNavigate();
  const favourites = useFavouriteTargets().data;
  const { setFavourite } = useTargetActions();
  /** The target whose directories are chosen. */
  const [inDirectories, setInDirectories] = useState<Item>();
  const paramsOf = ({ idTarget }: Item) => ({ site: site.name, idTarget: String(idTarget) });
  const current = useCurrentRow(
    items,
    (item) => void navigate({ to: '/$site/targets/$idTarget', params: paramsOf(item) }),
    [
      {
        ...{ keys: 'f', label: texts.favouriteKey },
        run: ({ idTarget }) => void setFavourite(idTarget, !favourites?.has(idTarget)),
      },
    ],
  );
  return (
    <>
      <table className="table">
        <thead>
          <tr>
            <th>{columns.name}</th>
            <th>{columns.safe}</th>
            <th>{columns.changed}</th>
            <th>{columns.author}</th>
            {site.may('editor') && (
              <th>
                <span className="hidden">{words.shell.more}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={item.idTarget} data-current={index === current || undefined}>
              <td className="title">
                <Star
                  name={item.name}
                  isFavourite={favourites?.has(item.idTarget) ?? false}
                  set={(isFavourite) => void setFavourite(item.idTarget, isFavourite)}
                />
                <Link className="strong name" to="/$site/targets/$idTarget" params={paramsOf(item)}>
                  <bdi>{item.name}</bdi>
                </Link>
                {item.isTestTarget && (
                  <span className="pill" style={{ marginInlineStart: 8 }}>
                    {test}
                  </span>
                )}
                {item.directories !== '' && (
                  <p className="small text-3 anywhere">
                    <bdi>{item.directories}</bdi>
                  </p>
                )}
              </td>
              <td>
                <SafeState isSafe={item.isSafe} />
              </td>
              <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
                {format.moment(item.lastUpdateDate)}
              </td>
              <td className="text-2 wide">
                <bdi>{item.author}</bdi>
              </td>
              {site.may('editor') && (
                <td className="num" style={{ width: 44 }}>
                  <RowMenu
                    label={texts.actionsOf(item.name)}
                    item={item}
                    isArchive={isArchive}
                    chooseDirectories={() => setInDirectories(item)}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {inDirectories && (
        <TargetDirectories target={inDirectories} close={() => setInDirectories(undefined)} />
      )}
    </>
  );
}
interface TableProps {
  readonly items: readonly Item[];
  readonly isArchive: boolean;
}

interface StarProps {
  readonly name: string;
  readonly isFavourite: boolean;
  readonly set: (isFavourite: boolean) => void;
}

/** Says whether a target is a favourite of the reader, and changes it. */
function Star({ name, isFavourite, set }: StarProps) {
  const texts = useWords().words.targets;
  const label = isFavourite ? texts.favourite(name) : texts.notFavourite(name);
  return (
    <ActionIcon
      size="sm"
      style={{ marginInlineEnd: 8, verticalAlign: 'middle' }}
      aria-label={label}
      title={label}
      aria-pressed={isFavourite}
      onClick={() => set(!isFavourite)}
    >
      {isFavourite ? (
        <IconStarFilled size={16} className="amber" aria-hidden />
      ) : (
        <IconStar size={16} className="text-3" aria-hidden />
      )}
    </ActionIcon>
  );
}

function SafeState({ isSafe }: { readonly isSafe: boolean }) {
  const { words } = useWords();
  const Glyph = isSafe ? IconLock : IconLockOpen;
  return (
    <span
      className={isSafe ? 'state green' : 'state amber'}
      title={isSafe ? words.targets.safe : words.targets.unsafe}
    >
      <Glyph size={16} stroke={1.75} aria-hidden />
      {isSafe ? words.fields.yes : words.fields.no}
    </span>
  );
}

function RowMenu({ label, item, isArchive, chooseDirectories }: RowMenuProps) {
  const { words } = useWords();
  const texts = words.targets;
  const parts = usePartWords();
  const { archive, duplicate } = useTargetActions();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" aria-label={label} title={label}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void duplicate(item.idTarget, item.name)}>{texts.duplicate}</Menu.Item>
        <Menu.Item onClick={chooseDirectories}>{parts.directories.title}</Menu.Item>
        <Menu.Item onClick={() => void archive(item.idTarget, item.name, !isArchive)}>
          {isArchive ? texts.restore : texts.archive}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
interface RowMenuProps {
  readonly label: string;
  readonly item: Item;
  readonly isArchive: boolean;
  /** Lets the user choose the target's directories. */
  readonly chooseDirectories: () => void;
}

function TargetDirectories({ target, close }: { readonly target: Item; readonly close: () => void }) {
  const site = useSite();
  const params = { path: { idsite: site.name, idTarget: target.idTarget } };
  return (
    <Opened close={close}>
      <DirectoriesDialog
        type="Filter"
        name={target.name}
        queryKey="targets"
        id={target.idTarget}
        read={() => dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/directories', { params }))}
        store={(body) => dataOf(api.PUT('/v1/{idsite}/targets/{idTarget}/directories', { params, body }))}
        close={close}
      />
    </Opened>
  );
}

/** Asks for the name of a new target, creates it, and opens it. */
function CreateDialog({ close }: { readonly close: () => void }) {
  const { words } = useWords();
  const texts = words.targets;
  const site = useSite();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const draft = useFormDraft('target');
  const [name, setName] = draft.field('name', '');
  const create = async () => {
    if (name.trim() === '') return { name: texts.noName };
    const id = await createTarget(site.name, name.trim(), { filters: {} });
    await queries.invalidateQueries({ queryKey: ['targets', site.name] });
    await navigate({ to: '/$site/targets/$idTarget', params: { site: site.name, idTarget: String(id) } });
    return undefined;
  };
  const leave = () => {
    draft.forget();
    close();
  };
  return (
    <Dialog close={leave} back={close} title={texts.new}>
      <SubmitForm save={create} saveLabel={texts.create} close={close} draft={draft} unique="name">
        <TextField
          property="name"
          data-autofocus
          label={texts.name}
          placeholder={texts.nameHint}
          value={name}
          maxLength={255}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <p className="small text-2">{texts.creating}</p>
      </SubmitForm>
    </Dialog>
  );
}
