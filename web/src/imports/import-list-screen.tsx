import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconPlayerPause,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useCurrentRow } from '../parts/list.tsx';
import { PartList } from '../parts/part-list.tsx';
import { pageSize } from '../parts/part-search.ts';
import { Empty, Page } from '../parts/states.tsx';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type ImportSearch, importParts } from './import-search.ts';
import './imports.css';
import { Drop } from './take-file.tsx';

type Item = components['schemas']['ImportListItem'];
const liveMs = 2_000;

const route = getRouteApi('/$site/imports');

/** A page of the imports of the last days, the newest first. */
export function useImports({ search, part = 'All', page = 1 }: ImportSearch) {
  const site = useSite();
  const query = {
    ...(search && { 'filter.name': search }),
    ...(part !== 'All' && { 'filter.state': part }),
    'filter.sortBy': 'ID',
    'filter.order': 'DESC',
    'filter.start': (page - 1) * pageSize,
    'filter.limit': pageSize,
  } as const;
  const queries = useQueryClient();
  const queryKey = ['imports', site.name, 'list', query];
  const hasOpen = (data: { readonly items: readonly Item[] } | undefined) =>
    data?.items.some(({ importState }) => ['Scheduled', 'InProgress'].includes(importState)) ?? false;
  const isStreaming = useEvents(
    'import',
    hasOpen(queries.getQueryData<{ items: Item[] }>(queryKey)),
    () => void queries.invalidateQueries({ queryKey }),
  );
  return useQuery({
    queryKey,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => hasOpen(data) && (isStreaming ? besidesMs : liveMs),
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/imports', { params: { path: { idsite: site.name }, query } })),
  });
}

/** All imports of the last days with a search, and the place to drop a file. */
export function ImportListScreen() {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const search = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page title={texts.title}>
      {site.may('editor') && <Drop />}
      <PartList
        texts={{ ...texts, part: texts.columns.state, parts: { All: texts.all, ...texts.states } }}
        parts={importParts}
        search={search}
        go={(next) =>
          void navigate({
            to: '/$site/imports',
            params: { site: site.name },
            search: next,
            replace: true,
          })
        }
        query={useImports(search)}
        empty={<Empty title={texts.empty} text={texts.emptyText} />}
        table={(items) => <ImportTable items={items} />}
      />
    </Page>
  );
}

const looks = {
  Scheduled: { icon: IconClock, colour: 'plum' },
  InProgress: { icon: IconClock, colour: 'ink' },
  Completed: { icon: IconCircleCheck, colour: 'green' },
  Paused: { icon: IconPlayerPause, colour: 'amber' },
  PackageErrorCreation: { icon: IconCircleX, colour: 'red' },
} as const;

const dayMs = 86_400_000;

type Figures = Pick<Item, 'nbErrorRows' | 'nbBadFormattedRows' | 'nbUpdates' | 'nbInserts'>;

interface ImportStateProps {
  readonly state: string;
  /** When it starts. */
  readonly start?: string | null | undefined;
  /** How far it is, as the service says it: “64 %”. */
  readonly progression?: string | undefined;
  /** What came of it. */
  readonly figures?: Figures | null | undefined;
}

/** The state of an import by glyph and word: when it starts, how far it is, or what came of it. */
export function ImportState({ state, start, progression, figures }: ImportStateProps) {
  const { words, format } = useWords();
  const texts = words.imports;
  const rejected = figures ? figures.nbErrorRows + figures.nbBadFormattedRows : 0;
  const isUnchanged = figures ? figures.nbUpdates + figures.nbInserts === 0 : false;
  const word = () => {
    if (state === 'Scheduled' && start) {
      const isNear = Date.parse(start) - Date.now() < dayMs;
      return isNear ? texts.startsAt(format.time(start)) : texts.startsOn(format.moment(start));
    }
    if (state === 'InProgress' && progression) return texts.runningAt(Number.parseInt(progression, 10) || 0);
    if (state === 'Completed' && isUnchanged) return texts.nothingChanged;
    if (state === 'Completed' && rejected > 0)
      return texts.doneWith(format.count(rejected), format.isOne(rejected));
    return texts.states[state as keyof typeof texts.states] ?? state;
  };
  const look = looks[state as keyof typeof looks] ?? looks.Scheduled;
  const isAmber = state === 'Completed' && rejected > 0;
  const Icon = isAmber ? IconAlertCircle : look.icon;
  return (
    <span className={`state ${isAmber ? 'amber' : look.colour}`}>
      <Icon size={16} stroke={1.75} aria-hidden />
      {word()}
    </span>
  );
}

function ImportTable({ items }: { readonly items: readonly Item[] }) {
  const { words, format } = useWords();
  const { columns } = words.imports;
  const site = useSite();
  const navigate = useNavigate();
  const paramsOf = ({ id }: Item) => ({ site: site.name, idImport: String(id) });
  const current = useCurrentRow(
    items,
    (item) => void navigate({ to: '/$site/imports/$idImport', params: paramsOf(item) }),
  );
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.file}</th>
          <th>{columns.state}</th>
          <th>{columns.when}</th>
          <th className="num">{columns.rows}</th>
          <th className="num">{columns.rejected}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => {
          const when = item.endDate ?? item.startDate ?? item.scheduledDate;
          return (
            <tr key={item.id} data-current={index === current || undefined}>
              <td className="title">
                <Link
                  className="strong"
                  style={{ overflowWrap: 'anywhere' }}
                  to="/$site/imports/$idImport"
                  params={paramsOf(item)}
                >
                  <bdi>{item.filename}</bdi>
                </Link>
              </td>
              <td>
                <ImportState
                  state={item.importState}
                  start={item.scheduledDate}
                  progression={item.progression}
                  figures={item}
                />
              </td>
              <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
                {when ? format.moment(when) : '–'}
              </td>
              <td className="num" data-label={columns.rows}>
                {format.count(item.totalRows ?? 0)}
              </td>
              <td className="num" data-label={columns.rejected}>
                {format.count((item.nbErrorRows ?? 0) + (item.nbBadFormattedRows ?? 0))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
