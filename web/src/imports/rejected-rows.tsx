import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { saveText } from '../parts/save-file.ts';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import type { DryRun } from './use-dry-run.ts';

/** Cells of a row that its line in the list shows. */
const shownCells = 8;

/** A cell of a CSV file. A text that a spreadsheet would read as a formula gets an apostrophe: the file is for reading. */
const csvCell = (text: string) => `"${text.replace(/^(?=[=+\-@\t\r\n])/, "'").replaceAll('"', '""')}"`;

/** The first rows that the import would reject, with their reasons. */
export function RejectedRows({ run, file }: { readonly run: DryRun; readonly file: string }) {
  const { words, format } = useWords();
  const texts = words.imports.dry;
  const say = useServiceText();
  const total = run.nbErrorRows + run.nbBadFormattedRows;
  const rows = run.rejectedRows;
  if (rows.length === 0) return null;
  const which = rows.length < total ? texts.first(format.count(rows.length)) : texts.all;
  const save = () => {
    const lines = rows.map(({ row, reason, cells }) => [String(row), say(reason).text, ...(cells ?? [])]);
    const text = [[texts.rowNumber, texts.reason], ...lines].map((line) => line.map(csvCell).join(';'));
    saveText(`${file.slice(file.lastIndexOf('/') + 1)}.rejected.csv`, `\ufeff${text.join('\r\n')}\r\n`);
  };
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{texts.rejectedRows(format.count(total), format.isOne(total))}</h2>
        <Button
          size="xs"
          className="aside"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={save}
          aria-label={texts.download(which)}
        >
          {which}
        </Button>
      </div>
      <FileRows rows={rows} />
    </section>
  );
}

/** A row of the file, with the reason if it is rejected. */
export interface FileRow {
  readonly row: number;
  readonly cells: readonly string[] | null;
  readonly reason?: string;
}

/** Rows of the file with their numbers. */
export function FileRows({ rows }: { readonly rows: readonly FileRow[] }) {
  const { words, format } = useWords();
  const texts = words.imports.dry;
  const say = useServiceText();
  return (
    <ul className="rejected">
      {rows.map(({ row, reason, cells }) => (
        <li key={row}>
          <span className="num text-3">{format.count(row)}</span>
          <div style={{ minWidth: 0 }}>
            <p className="mono cut">
              <bdi>{cells ? cells.slice(0, shownCells).join('; ') : texts.tooLong}</bdi>
            </p>
            {reason !== undefined && (
              <p className="small text-2 anywhere" lang={say(reason).lang}>
                {say(reason).text}
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
