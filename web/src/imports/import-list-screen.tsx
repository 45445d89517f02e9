import { Button } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClock, IconPlayerPause, IconUpload } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type DragEvent, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Empty, Failed, Loading, Page } from '../parts/states.tsx';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import './imports.css';
import { countRows, mostBytes, uploadFile } from './upload.ts';

type Item = components['schemas']['ImportListItem'];
const liveMs = 2_000;

/** The imports of the last days, the newest first. */
export function useImports() {
  const site = useSite();
  const query = { 'filter.sortBy': 'ID', 'filter.order': 'DESC', 'filter.limit': 200 } as const;
  const queries = useQueryClient();
  const queryKey = ['imports', site.name, 'list'];
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

/** All imports of the last days, and the place to drop a file. */
export function ImportListScreen() {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const imports = useImports();
  const items = imports.data?.items;
  return (
    <Page title={texts.title}>
      {site.may('editor') && <Drop />}
      <section className="card flush">
        {imports.error && !items && <Failed error={imports.error} retry={() => void imports.refetch()} />}
        {imports.isPending && <Loading />}
        {items?.length === 0 && <Empty title={texts.empty} text={texts.emptyText} />}
        {items && items.length > 0 && <ImportTable items={items} />}
      </section>
    </Page>
  );
}

/** Takes a file by drop or choice, uploads it, and opens its preparation. */
function Drop() {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const navigate = useNavigate();
  const refusal = useRefusal();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [name, setName] = useState<string>();
  const [error, setError] = useState('');
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > mostBytes) return setError(texts.tooLarge);
    setError('');
    setName(file.name);
    try {
      const [path, rows] = await Promise.all([uploadFile(site.name, file), countRows(file)]);
      await navigate({
        to: '/$site/imports/new',
        params: { site: site.name },
        search: { file: path, ...(rows !== undefined && { rows }) },
      });
    } catch (failure) {
      setError(refusal(failure));
      setName(undefined);
    }
  };
  const drag = (event: DragEvent, over: boolean) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    <section
      className="drop"
      aria-label={texts.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        void take(event.dataTransfer.files[0]);
      }}
    >
      <IconUpload size={22} stroke={1.6} className="text-3" aria-hidden />
      <h2>{texts.drop}</h2>
      <p className="small text-2">{texts.dropText}</p>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.txt,.tsv,.xlsx,.gz,.zip"
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <Button variant="filled" loading={name !== undefined} onClick={() => input.current?.click()}>
        {texts.choose}
      </Button>
      <p className="small" role="status">
        {name !== undefined && <bdi>{texts.uploading(name)}</bdi>}
        {error !== '' && <span className="red">{error}</span>}
      </p>
    </section>
  );
}

const looks = {
  Scheduled: { icon: IconClock, colour: 'plum' },
  InProgress: { icon: IconClock, colour: 'ink' },
  Completed: { icon: IconCircleCheck, colour: 'green' },
  Paused: { icon: IconPlayerPause, colour: 'amber' },
  PackageErrorCreation: { icon: IconCircleX, colour: 'red' },
} as const;

/** The state of an import by glyph and word. */
export function ImportState({ state }: { readonly state: string }) {
  const { words } = useWords();
  const look = looks[state as keyof typeof looks] ?? looks.Scheduled;
  return (
    <span className={`state ${look.colour}`}>
      <look.icon size={16} stroke={1.75} aria-hidden />
      {words.imports.states[state] ?? state}
    </span>
  );
}

function ImportTable({ items }: { readonly items: readonly Item[] }) {
  const { words, format } = useWords();
  const { columns } = words.imports;
  const site = useSite();
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
        {items.map((item) => {
          const when = item.endDate ?? item.startDate ?? item.scheduledDate;
          return (
            <tr key={item.id}>
              <td className="title">
                <Link
                  className="strong"
                  style={{ overflowWrap: 'anywhere' }}
                  to="/$site/imports/$idImport"
                  params={{ site: site.name, idImport: String(item.id) }}
                >
                  <bdi>{item.filename}</bdi>
                </Link>
              </td>
              <td>
                <ImportState state={item.importState} />
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
