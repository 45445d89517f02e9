import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { components } from '../api/schema.d.ts';
import { ChooseFile } from '../parts/choose-file.tsx';
import { Extra } from '../parts/extra.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type FileRow, FileRows } from './rejected-rows.tsx';
import { accepted, useTakeFile } from './take-file.tsx';
import { Uploading } from './uploading.tsx';
import { previewQuery } from './use-preview.ts';

type Import = components['schemas']['Import'];
type ImportLog = components['schemas']['ImportLog'];

interface RejectedProps {
  readonly import: Import;
  readonly log: ImportLog;
  readonly count: number;
}

/** The rejected rows: the first ones with their reasons, and their file to download, to correct and to import again. */
export function Rejected({ import: { id, parameters }, log, count }: RejectedProps) {
  const { words, format } = useWords();
  const texts = words.imports;
  const site = useSite();
  const act = useAct();
  const { take, uploading, error } = useTakeFile(id);
  const path = `${log.filename}.errors.csv`;
  const rows = useRejectedRows(parameters, log, path, count);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{texts.rejectedTitle}</h2>
        {rows.length > 0 && rows.length < count && (
          <span className="aside">{texts.dry.first(format.count(rows.length))}</span>
        )}
      </div>
      {rows.length > 0 && (
        <Extra>
          <FileRows rows={rows} />
        </Extra>
      )}
      <div className="card-body stack tight">
        <p className="text-2 anywhere">{texts.rejectedText(path)}</p>
        {site.may('editor') && (
          <div className="row">
            <Button
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => act(() => saveFile(site.name, path))}
            >
              {texts.downloadRejected}
            </Button>
            <ChooseFile
              accept={accepted}
              take={([file]) => void take(file)}
              loading={uploading !== undefined}
            >
              {texts.importCorrected}
            </ChooseFile>
          </div>
        )}
        {uploading && <Uploading upload={uploading} />}
        {error !== '' && (
          <p className="small red" role="alert">
            {error}
          </p>
        )}
      </div>
    </section>
  );
}

/** The file of the rejected rows is written just after the run, unless the SFTP server is away. */
const [askedEveryMs, mostAsked] = [2_000, 15];

/** The first rows that a run rejected; none if their file is not there, or is of another run. */
function useRejectedRows(
  parameters: Import['parameters'],
  log: ImportLog,
  path: string,
  count: number,
): readonly FileRow[] {
  const site = useSite();
  const { startLine, columnNamesFirstLine, columnDelimiter, textQualifier } = parameters;
  // It is always UTF-8, and has the other settings of its import.
  const reading = { startLine, columnNamesFirstLine, columnDelimiter, textQualifier, codepage: 65001 };
  const { data = [] } = useQuery({
    ...previewQuery(site.name, path, reading),
    queryKey: ['imports', site.name, 'rejected', log.id],
    enabled: site.may('editor'),
    select: ({ rows }) => rejectedRows(rows, log, count),
    refetchInterval: ({ state: { data: found, dataUpdateCount, errorUpdateCount } }) =>
      dataUpdateCount + errorUpdateCount < mostAsked &&
      rejectedRows(found?.rows ?? [], log, count).length === 0 &&
      askedEveryMs,
  });
  return data;
}

/** The service returns at most so many rows of a file. */
const previewed = 20;

/** Rows of a file of rejected rows: behind the columns of the import are the number of the row and the reason. */
function rejectedRows(
  rows: readonly (readonly string[])[],
  { badFormattedRowNumbers }: ImportLog,
  count: number,
): FileRow[] {
  const found = rows.flatMap((all) => {
    const [row = '', reason = ''] = all.slice(-2);
    return /^\d+$/.test(row) ? [{ row: Number(row), reason, cells: all.slice(0, -2) }] : [];
  });
  const listed = new Set(badFormattedRowNumbers.split(','));
  // A later run of a file of the same name has written it.
  const isWhole = found.length >= Math.min(count, previewed);
  return isWhole && (listed.has('…') || found.every(({ row }) => listed.has(String(row)))) ? found : [];
}
