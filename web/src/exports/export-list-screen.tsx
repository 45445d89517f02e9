import { Button } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClock, IconDownload, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useCurrentRow } from '../parts/list.tsx';
import { PartList } from '../parts/part-list.tsx';
import { pageSize } from '../parts/part-search.ts';
import { saveFile } from '../parts/save-file.ts';
import { Empty, Page } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useRepositories } from '../settings/use-repositories.ts';
import { useWords } from '../words/words.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { type ExportSearch, exportParts } from './export-search.ts';

type Item = components['schemas']['ExportState'];
const liveMs = 2_000;
/** Stands for the site's own folder among SFTP accounts; files elsewhere are fetched there. */
const ownFolder = 0;

const route = getRouteApi('/$site/exports');

function useExports({ search, part = 'All', page = 1 }: ExportSearch) {
  const site = useSite();
  const query = {
    ...(search && { 'filter.name': search }),
    ...(part !== 'All' && { 'filter.state': part }),
    'filter.sortBy': 'Id',
    'filter.order': 'DESC',
    'filter.start': (page - 1) * pageSize,
    'filter.limit': pageSize,
  } as const;
  const queries = useQueryClient();
  const queryKey = ['exports', site.name, query];
  const hasOpen = (data: { readonly items: readonly Item[] } | undefined) =>
    data?.items.some(({ exportJobState }) => ['SCHEDULED', 'RUNNING'].includes(exportJobState)) ?? false;
  const isStreaming = useEvents(
    'export',
    hasOpen(queries.getQueryData<{ items: Item[] }>(queryKey)),
    () => void queries.invalidateQueries({ queryKey }),
  );
  return useQuery({
    queryKey,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => hasOpen(data) && (isStreaming ? besidesMs : liveMs),
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/exports', { params: { path: { idsite: site.name }, query } })),
  });
}

/** The exports of the site, the newest first. */
export function ExportListScreen() {
  const { words } = useWords();
  const texts = words.exports;
  const site = useSite();
  const search = route.useSearch();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const create = site.may('editor') ? () => setOpen(true) : undefined;
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
        texts={{ ...texts, part: texts.columns.state, parts: { All: texts.all, ...texts.states } }}
        parts={exportParts}
        search={search}
        go={(next) =>
          void navigate({
            to: '/$site/exports',
            params: { site: site.name },
            search: next,
            replace: true,
          })
        }
        query={useExports(search)}
        empty={
          <Empty title={texts.empty} text={texts.emptyText}>
            {create && <Button onClick={create}>{texts.first}</Button>}
          </Empty>
        }
        table={(items) => <ExportTable items={items} />}
      />
      {isOpen && <ExportDialog close={() => setOpen(false)} />}
    </Page>
  );
}

const looks = {
  SCHEDULED: { icon: IconClock, colour: 'plum' },
  RUNNING: { icon: IconClock, colour: 'ink' },
  COMPLETED: { icon: IconCircleCheck, colour: 'green' },
  FAILED: { icon: IconCircleX, colour: 'red' },
} as const;

/** Says where the file of an export is: in the site's own folder, or on another server. */
function useWhere(items: readonly Item[]): (item: Item, path: string) => string {
  const { shell, exports } = useWords().words;
  const { where, elsewhere, goneServer } = exports;
  const { data } = useRepositories(items.some(({ idExportJobFtp }) => idExportJobFtp !== ownFolder));
  return ({ idExportJobFtp: id }, path) => {
    if (id === ownFolder) return where(path);
    const server = data?.find(({ idRepository }) => idRepository === id);
    return data && !server ? shell.labelled(goneServer, path) : elsewhere(server?.host ?? '…', path);
  };
}

function ExportTable({ items }: { readonly items: readonly Item[] }) {
  const { words, format } = useWords();
  const { columns, states, download, downloadOf } = words.exports;
  const site = useSite();
  const act = useAct();
  const isHere = ({ filepath, idExportJobFtp }: Item) =>
    filepath !== null && idExportJobFtp === ownFolder && site.may('editor');
  const save = (item: Item) => act(() => saveFile(site.name, item.filepath!));
  const where = useWhere(items);
  const current = useCurrentRow(items, (item) => isHere(item) && save(item));
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.file}</th>
          <th>{columns.state}</th>
          <th>{columns.when}</th>
          <th>{columns.author}</th>
          <th className="num">{columns.rows}</th>
          <th>
            <span className="hidden">{download}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => {
          const look = looks[item.exportJobState];
          return (
            <tr key={item.idExportJob} data-current={index === current || undefined}>
              <td className="title" style={{ overflowWrap: 'anywhere' }}>
                <bdi className="strong">{item.name}</bdi>
                {item.filepath && <p className="small text-3">{where(item, item.filepath)}</p>}
              </td>
              <td>
                <span className={`state ${look.colour}`}>
                  <look.icon size={16} stroke={1.75} aria-hidden />
                  {states[item.exportJobState]}
                </span>
              </td>
              <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
                {format.moment(item.lastExecutionEndDate ?? item.jobCreationDate)}
              </td>
              <td className="text-2">{item.author === null ? '–' : <bdi>{item.author}</bdi>}</td>
              <td className="num" data-label={columns.rows}>
                {item.nbLines === null ? '–' : format.count(item.nbLines)}
              </td>
              <td>
                {isHere(item) && (
                  <Button
                    size="xs"
                    aria-label={downloadOf(item.name)}
                    leftSection={<IconDownload size={14} aria-hidden />}
                    onClick={() => save(item)}
                  >
                    {download}
                  </Button>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
