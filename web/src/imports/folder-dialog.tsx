import { Button, Menu } from '@mantine/core';
import { IconArrowUp, IconFile, IconFolder } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Confirm } from '../parts/dialogs.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { saveFile } from '../parts/save-file.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';

type Entry = components['schemas']['FileEntry'];

/** Entries of a folder that one page shows. */
const pageSize = 100;

const parentOf = (folder: string) => folder.slice(0, Math.max(0, folder.lastIndexOf('/')));

/** The entries of one folder, newest first, by page. */
function useFolder(folder: string) {
  const site = useSite();
  return useInfiniteQuery({
    queryKey: ['files', site.name, folder],
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: ({ pageParam: start }) =>
      dataOf(
        api.GET('/v1/{idsite}/files/list', {
          params: {
            path: { idsite: site.name },
            query: {
              ...(folder !== '' && { folder }),
              'filter.sortBy': 'LastUpdate',
              'filter.order': 'DESC',
              'filter.start': start,
              'filter.limit': pageSize,
            },
          },
        }),
      ),
    getNextPageParam: ({ start, count, totalCount }) =>
      count > 0 && start + count < totalCount ? start + count : undefined,
  });
}

/** Lets the user take a file of the SFTP account for an import, download it or delete it. */
export function FolderDialog({ close }: { readonly close: () => void }) {
  const { words } = useWords();
  const texts = words.imports.folder;
  // Its rows need them; without this, the first row would hide the open dialog until they are there.
  usePartWords();
  const [folder, setFolder] = useState('');
  const [deleted, setDeleted] = useState<Entry>();
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useFolder(folder);
  // A file that comes meanwhile moves the others to later places.
  const entries = [
    ...new Map(data?.pages.flatMap(({ items }) => items.map((one) => [one.path, one]))).values(),
  ];
  useFocusReturn();
  return (
    <Dialog close={close} title={texts.title} size="lg">
      <div className="stack tight">
        {folder !== '' && (
          <div className="row">
            <Button
              size="xs"
              leftSection={<IconArrowUp size={14} aria-hidden />}
              onClick={() => setFolder(parentOf(folder))}
            >
              {texts.up}
            </Button>
            <bdi className="small text-2 anywhere">{folder}</bdi>
          </div>
        )}
        {isPending && <Loading rows={4} />}
        {error && <Failed error={error} retry={() => void refetch()} />}
        {data && !error && entries.length === 0 && <p className="text-2">{texts.empty}</p>}
        <ul className="file-list">
          {!error &&
            entries.map((entry) => (
              <Row
                key={entry.path}
                entry={entry}
                open={setFolder}
                remove={() => setDeleted(entry)}
                close={close}
              />
            ))}
        </ul>
        {hasNextPage && (
          <div>
            <Button size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {texts.more}
            </Button>
          </div>
        )}
      </div>
      {deleted && <DeleteFile entry={deleted} close={() => setDeleted(undefined)} />}
    </Dialog>
  );
}

interface RowProps {
  readonly entry: Entry;
  readonly open: (folder: string) => void;
  readonly remove: () => void;
  readonly close: () => void;
}

function Row({ entry, open, remove, close }: RowProps) {
  const { words, format } = useWords();
  const texts = words.imports.folder;
  const site = useSite();
  const navigate = useNavigate();
  const act = useAct();
  const { path, isFolder, sizeInBytes, lastUpdateDate, idImport, idExport } = entry;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const Glyph = isFolder ? IconFolder : IconFile;
  const take = () => {
    if (isFolder) return open(path);
    close();
    void navigate({ to: '/$site/imports/new', params: { site: site.name }, search: { file: path } });
  };
  return (
    <li className="row">
      <Glyph size={18} stroke={1.75} className="text-3" aria-hidden />
      <div className="grow" style={{ minWidth: 0 }}>
        <button type="button" className="link cut file-name" onClick={take}>
          <bdi>{name}</bdi>
        </button>
        <p className="label text-3">
          {!isFolder && `${texts.size(format.count(Math.max(1, Math.round(sizeInBytes / 1000))))}, `}
          {format.moment(lastUpdateDate)}
          {idImport !== null && (
            <>
              {', '}
              <Link
                className="link"
                to="/$site/imports/$idImport"
                params={{ site: site.name, idImport: String(idImport) }}
              >
                {texts.ofImport(String(idImport))}
              </Link>
            </>
          )}
          {idExport !== null && `, ${texts.ofExport(String(idExport))}`}
        </p>
      </div>
      {!isFolder && (
        <RowMenu name={name}>
          <Menu.Item onClick={() => act(() => saveFile(site.name, path))}>{texts.download}</Menu.Item>
          <Menu.Item onClick={remove}>{texts.remove}</Menu.Item>
        </RowMenu>
      )}
    </li>
  );
}

function DeleteFile({ entry: { path }, close }: { readonly entry: Entry; readonly close: () => void }) {
  const { words } = useWords();
  const texts = words.imports.folder;
  const site = useSite();
  const queries = useQueryClient();
  const remove = async () => {
    await dataOf(
      api.DELETE('/v1/{idsite}/files', { params: { path: { idsite: site.name }, query: { name: path } } }),
    );
    await queries.invalidateQueries({ queryKey: ['files', site.name] });
    toast({ text: texts.removed(path) });
  };
  return (
    <Confirm
      title={texts.removeTitle(path)}
      text={texts.removeText}
      action={texts.remove}
      close={close}
      confirm={remove}
    />
  );
}
