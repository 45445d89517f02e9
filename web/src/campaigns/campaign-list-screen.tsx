import { ActionIcon, Button, Menu, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconDots, IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { StateOf } from '../parts/state.tsx';
import { Empty, Failed, Loading, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, isRunning, stateOf } from './campaign.ts';
import { duplicateCampaign } from './duplicate.ts';
import { type ListSearch, type Part, parts, type SortColumn } from './list-search.ts';

const route = getRouteApi('/$site/campaigns');
const pageSize = 50;
/** Parts are states, which the service does not filter by: the newest so many campaigns are looked through. */
const lookedThrough = 500;
const liveMs = 3_000;

const statesOf: Readonly<Record<Part, readonly string[] | undefined>> = {
  all: undefined,
  archive: undefined,
  drafts: ['None'],
  scheduled: ['Programmed'],
  sending: ['InProgress'],
  sent: ['Finished', 'Stopped'],
  problems: ['Paused', 'Missed', 'Error'],
};

function useCampaigns({
  search,
  part = 'all',
  sort = 'LastUpdateDate',
  order = 'DESC',
  page = 1,
}: ListSearch) {
  const site = useSite();
  const states = statesOf[part];
  const start = states ? 0 : (page - 1) * pageSize;
  const found = useQuery({
    queryKey: ['campaigns', site.name, 'list', { search, part, sort, order, start }],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.items.some(isRunning) ? liveMs : false),
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/campaigns', {
          params: {
            path: { idsite: site.name },
            query: {
              ...(search && { 'filter.name': search }),
              ...(part === 'archive' && { 'filter.isArchive': true }),
              'filter.sortBy': sort,
              'filter.order': order,
              'filter.start': start,
              'filter.limit': states ? lookedThrough : pageSize,
            },
          },
        }),
      ),
  });
  const items = found.data?.items ?? [];
  const kept = states ? items.filter((one) => states.includes(stateOf(one))) : items;
  const first = states ? (page - 1) * pageSize : 0;
  return {
    ...found,
    shown: kept.slice(first, first + pageSize),
    total: states ? kept.length : (found.data?.totalCount ?? 0),
  };
}

/** All campaigns of the site: search, parts by state, pages. */
export function CampaignListScreen() {
  const { words } = useWords();
  const texts = words.campaigns;
  const site = useSite();
  const search = route.useSearch();
  const navigate = useNavigate();
  const campaigns = useCampaigns(search);
  const go = (next: ListSearch) =>
    void navigate({ to: '/$site/campaigns', params: { site: site.name }, search: next, replace: true });
  const isFiltered = search.search !== undefined || search.part !== undefined;
  return (
    <Page
      title={texts.title}
      actions={
        site.may('editor') && (
          <LinkButton
            to="/$site/campaigns/new"
            params={{ site: site.name }}
            variant="filled"
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {texts.new}
          </LinkButton>
        )
      }
    >
      <div className="stack tight">
        <div className="row">
          <Parts part={search.part ?? 'all'} choose={(part) => go({ ...search, part, page: undefined })} />
          <SearchField
            text={search.search ?? ''}
            find={(text) => go({ ...search, search: text, page: undefined })}
          />
        </div>
        <section className="card flush">
          {campaigns.error && !campaigns.data && (
            <Failed error={campaigns.error} retry={() => void campaigns.refetch()} />
          )}
          {campaigns.isPending && <Loading rows={12} />}
          {campaigns.data && campaigns.shown.length > 0 && (
            <CampaignTable campaigns={campaigns.shown} search={search} go={go} />
          )}
          {campaigns.data && campaigns.shown.length === 0 && (
            <NothingShown isFiltered={isFiltered} search={search} clear={() => go({})} />
          )}
        </section>
        <Pages search={search} total={campaigns.total} go={go} />
      </div>
    </Page>
  );
}

function Parts({ part, choose }: { readonly part: Part; readonly choose: (part: Part) => void }) {
  const { words } = useWords();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className="segments" role="group" aria-label={words.campaigns.columns.state}>
      {parts.map((one) => (
        <button key={one} type="button" aria-pressed={one === part} onClick={() => choose(one)}>
          {words.campaigns.parts[one]}
        </button>
      ))}
    </div>
  );
}

function SearchField({ text, find }: { readonly text: string; readonly find: (text: string) => void }) {
  const { words } = useWords();
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  const later = useDebouncedCallback(find, 150);
  const shortcuts = useMemo(
    () => [{ keys: '/', label: words.shell.keys.search, run: () => field.current?.focus() }],
    [words],
  );
  useShortcuts(shortcuts);
  useEffect(() => setTyped(text), [text]);
  return (
    <TextInput
      ref={field}
      type="search"
      style={{ flex: '1 1 200px', maxWidth: 320 }}
      aria-label={words.campaigns.search}
      placeholder={words.campaigns.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        later(event.currentTarget.value.trim());
      }}
    />
  );
}

function NothingShown({ isFiltered, search, clear }: NothingShownProps) {
  const { words } = useWords();
  const texts = words.campaigns;
  const site = useSite();
  if (isFiltered)
    return (
      <Empty title={search.search ? texts.nothing(search.search) : texts.nothingInPart}>
        <Button onClick={clear}>{texts.clear}</Button>
      </Empty>
    );
  return (
    <Empty title={texts.empty} text={texts.emptyText}>
      {site.may('editor') && (
        <LinkButton to="/$site/campaigns/new" params={{ site: site.name }}>
          {texts.first}
        </LinkButton>
      )}
    </Empty>
  );
}
interface NothingShownProps {
  readonly isFiltered: boolean;
  readonly search: ListSearch;
  readonly clear: () => void;
}

interface TableProps {
  readonly campaigns: readonly Campaign[];
  readonly search: ListSearch;
  readonly go: (search: ListSearch) => void;
}

function CampaignTable({ campaigns, search, go }: TableProps) {
  const { words, format } = useWords();
  const { columns, noSubject } = words.campaigns;
  const site = useSite();
  const current = useCurrentRow(campaigns);
  return (
    <table className="table">
      <thead>
        <tr>
          <SortHead column="Name" name={columns.name} search={search} go={go} />
          <th>{columns.state}</th>
          <SortHead column="LastUpdateDate" name={columns.changed} search={search} go={go} />
          <th>{columns.author}</th>
          {site.may('editor') && (
            <th>
              <span className="hidden">{words.shell.more}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {campaigns.map((campaign, index) => (
          <tr key={campaign.id} data-current={index === current || undefined}>
            <td className="title">
              <Link
                className="strong"
                to="/$site/campaigns/$idCampaign"
                params={{ site: site.name, idCampaign: String(campaign.id) }}
              >
                {campaign.parameters.name}
              </Link>
              <p className="small text-3 cut">{campaign.parameters.subject || noSubject}</p>
            </td>
            <td>
              <StateOf state={stateOf(campaign)} />
            </td>
            <td className="text-2">{format.moment(campaign.lastUpdateDate)}</td>
            <td className="text-2 wide">{campaign.authorName}</td>
            {site.may('editor') && (
              <td className="num acts">
                <RowMenu campaign={campaign} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** J and K move through the rows, Enter opens one. Returns the position of the current row; -1 before the first key. */
function useCurrentRow(campaigns: readonly Campaign[]): number {
  const { words } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const [current, setCurrent] = useState(-1);
  const shortcuts = useMemo(() => {
    const { next, previous, open } = words.shell.keys;
    const chosen = campaigns[current];
    return [
      { keys: 'j', label: next, run: () => setCurrent(Math.min(current + 1, campaigns.length - 1)) },
      { keys: 'k', label: previous, run: () => setCurrent(Math.max(current - 1, 0)) },
      ...(chosen
        ? [
            {
              keys: 'o',
              label: open,
              run: () =>
                void navigate({
                  to: '/$site/campaigns/$idCampaign',
                  params: { site: site.name, idCampaign: String(chosen.id) },
                }),
            },
          ]
        : []),
    ];
  }, [campaigns, current, navigate, site, words]);
  useShortcuts(shortcuts);
  return current;
}

function SortHead({ column, name, search, go }: SortHeadProps) {
  const { sort = 'LastUpdateDate', order = 'DESC' } = search;
  const isSorted = sort === column;
  const next = isSorted && order === 'ASC' ? 'DESC' : 'ASC';
  const Arrow = order === 'ASC' ? IconChevronUp : IconChevronDown;
  return (
    <th aria-sort={isSorted ? (order === 'ASC' ? 'ascending' : 'descending') : undefined}>
      <button
        type="button"
        className="sort"
        onClick={() => go({ ...search, sort: column, order: next, page: undefined })}
      >
        {name}
        {isSorted && <Arrow size={14} stroke={2} aria-hidden />}
      </button>
    </th>
  );
}
interface SortHeadProps extends Omit<TableProps, 'campaigns'> {
  readonly column: SortColumn;
  readonly name: string;
}

/** Duplicate, archive or restore one campaign. */
function RowMenu({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const texts = words.campaigns;
  const site = useSite();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refusal = useRefusal();
  const { name, isArchive } = campaign.parameters;
  const setArchived = async (next: boolean) => {
    await dataOf(
      api.PUT('/v1/{idsite}/campaigns/fields', {
        params: { path: { idsite: site.name } },
        body: { idCampaign: campaign.id, fields: { isArchive: String(next) } },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
  };
  const archive = () =>
    setArchived(!isArchive).then(
      () =>
        toast({
          text: isArchive ? texts.restored(name) : texts.archived(name),
          seconds: 10,
          undo: () => setArchived(isArchive),
        }),
      (error: unknown) => toast({ text: refusal(error) }),
    );
  const duplicate = () =>
    duplicateCampaign(site.name, campaign.id, texts.copyOf(name)).then(
      (id) =>
        navigate({
          to: '/$site/campaigns/$idCampaign',
          params: { site: site.name, idCampaign: String(id) },
        }),
      (error: unknown) => toast({ text: refusal(error) }),
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" aria-label={texts.actionsOf(name)} title={texts.actionsOf(name)}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void duplicate()}>{texts.duplicate}</Menu.Item>
        {!isRunning(campaign) && (
          <Menu.Item onClick={() => void archive()}>{isArchive ? texts.restore : texts.archive}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Pages({ search, total, go }: Omit<TableProps, 'campaigns'> & { readonly total: number }) {
  const { words, format } = useWords();
  const { page: say, earlier, later } = words.campaigns;
  const { page = 1 } = search;
  if (total <= pageSize) return null;
  const last = Math.min(page * pageSize, total);
  return (
    <nav className="row small text-2" aria-label={words.campaigns.title}>
      <span>{say(format.count((page - 1) * pageSize + 1), format.count(last), format.count(total))}</span>
      {page > 1 && (
        <Button size="xs" onClick={() => go({ ...search, page: page - 1 })}>
          {earlier}
        </Button>
      )}
      {last < total && (
        <Button size="xs" onClick={() => go({ ...search, page: page + 1 })}>
          {later}
        </Button>
      )}
    </nav>
  );
}
