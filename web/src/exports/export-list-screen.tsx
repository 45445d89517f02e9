import { Button } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClock, IconDownload, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { saveFile } from '../parts/save-file.ts';
import { Empty, Failed, Loading, Page } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { ExportDialog } from './export-dialog.tsx';

type Item = components['schemas']['ExportState'];
const liveMs = 2_000;
/** Stands for the site's own folder among SFTP accounts; files elsewhere are fetched there. */
const ownFolder = 0;

function useExports() {
  const site = useSite();
  const query = { 'filter.sortBy': 'Id', 'filter.order': 'DESC', 'filter.limit': 100 } as const;
  const queries = useQueryClient();
  const queryKey = ['exports', site.name];
  const hasOpen = (data: { readonly items: readonly Item[] } | undefined) =>
    data?.items.some(({ exportJobState }) => ['SCHEDULED', 'RUNNING'].includes(exportJobState)) ?? false;
  const isStreaming = useEvents(
    'export',
    hasOpen(queries.getQueryData<{ items: Item[] }>(queryKey)),
    () => void queries.invalidateQueries({ queryKey }),
  );
  return useQuery({
    queryKey,
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
  const exports = useExports();
  const [isOpen, setOpen] = useState(false);
  const items = exports.data?.items;
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
      <section className="card flush">
        {exports.error && !items && <Failed error={exports.error} retry={() => void exports.refetch()} />}
        {exports.isPending && <Loading />}
        {items?.length === 0 && (
          <Empty title={texts.empty} text={texts.emptyText}>
            {create && <Button onClick={create}>{texts.first}</Button>}
          </Empty>
        )}
        {items && items.length > 0 && <ExportTable items={items} />}
      </section>
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

function ExportTable({ items }: { readonly items: readonly Item[] }) {
  const { words, format } = useWords();
  const { columns, states, where, download, downloadOf } = words.exports;
  const site = useSite();
  const act = useAct();
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
        {items.map((item) => {
          const look = looks[item.exportJobState];
          return (
            <tr key={item.idExportJob}>
              <td className="title" style={{ overflowWrap: 'anywhere' }}>
                <bdi className="strong">{item.name}</bdi>
                {item.filepath && <p className="small text-3">{where(item.filepath)}</p>}
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
                {item.filepath !== null && item.idExportJobFtp === ownFolder && site.may('editor') && (
                  <Button
                    size="xs"
                    aria-label={downloadOf(item.name)}
                    leftSection={<IconDownload size={14} aria-hidden />}
                    onClick={() => act(() => saveFile(site.name, item.filepath!))}
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
