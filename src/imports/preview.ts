import { join } from 'node:path';
import { listFields } from '../fields/field-store.ts';
import { encodingOf } from '../files/code-page.ts';
import type { CsvOptions } from '../files/csv-reader.ts';
import { spelledOut } from '../files/delimiters.ts';
import { fileNameFault } from '../files/file-name.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import { foreignBytesFault, TableError, type TableRecord } from '../files/table.ts';
import { readTable } from '../files/table-reader.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { invalid, refused } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Count,
  IdOf,
  Line,
  Maybe,
  Nullable,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';
import { guessDelimiter, guessFields, guessHasNames } from './preview-guess.ts';
import { withRepository } from './with-repository.ts';

const maxRows = 20;
/** Characters and lines that a guess looks at. */
const maxLooked = 1024 ** 2;
const maxLines = 5_000;
/** Maximum number of characters of a returned cell; a cell of the file may hold a megabyte. */
const maxCell = 500;
const maxColumns = 500;
const maxSheets = 500;
/** Maximum number of characters of the name of a sheet that an import can name. */
const maxSheetName = 255;
const limitMs = 10_000;

/** A file, and what is known of how it is read; what is omitted is guessed. The properties are those of an import. */
export const NewPreview = Closed('NewPreview', {
  idRepository: Maybe(
    IdOf('repository', Count('An SFTP account of listRepositories. Default: the site’s default account')),
  ),
  filename: Line(1_024, 'A CSV or XLSX file, plain or in .gz or .zip; may name a folder'),
  startLine: Maybe(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Default: 1' })),
  columnNamesFirstLine: Maybe(
    Bool('Whether the first line read holds the names of the columns. Default: guessed'),
  ),
  textQualifier: Maybe(Text(10, 'Default: the double quotation mark; <none> for none')),
  columnDelimiter: Maybe(Text(10, 'Default: guessed among ; , Tab and |')),
  codepage: Maybe(Count('Default: guessed, 65001 (UTF-8) or 1252 (Western European)')),
  sheetName: Maybe(Line(255, 'The sheet of an XLSX file. Default: the first sheet that is not hidden')),
});

/** The first rows of a file, and how an import would read them. */
export const Preview = Closed('Preview', {
  isWorkbook: Bool('Whether the file is an XLSX file, for which delimiters and code page mean nothing'),
  sheetName: Nullable(Type.String({ description: 'The sheet that was read; null unless it is a workbook' })),
  sheetNames: Type.Array(Type.String(), {
    description: 'The sheets of a workbook in its order, at most 500; hidden ones too',
  }),
  startLine: Count(),
  columnNamesFirstLine: Bool(),
  textQualifier: Type.String(),
  columnDelimiter: Type.String({ description: 'As imports take it: \\t for a tab' }),
  codepage: Count(),
  columns: Type.Array(
    Closed('PreviewColumn', {
      name: Type.String({ description: 'Its name, or its number in a file without names: fileColumnName' }),
      dbFieldName: Nullable(
        Type.String({ description: 'The field that it probably belongs to; null for none' }),
      ),
    }),
  ),
  rows: Type.Array(Type.Array(Type.String()), {
    description: 'At most 20 rows after the names; cells are cut to 500 characters, rows to 500 columns',
  }),
});
export type Preview = Static<typeof Preview>;

/** Reads the first rows of a file and guesses the rest of the request. @throws 400, 404, 422, 503 */
export async function previewFile(
  app: App,
  db: SiteDb,
  asked: Static<typeof NewPreview>,
  signal = AbortSignal.timeout(limitMs),
): Promise<Preview> {
  const fault = fileNameFault(asked.filename);
  if (fault) throw invalid(`filename: the name ${fault}`);
  if (asked.codepage != null && !encodingOf(asked.codepage))
    throw invalid(`codepage: the code page ${asked.codepage} is not known; use 1252 or 65001`);
  if (asked.columnDelimiter === '') throw invalid('columnDelimiter: is empty; omit it to have it guessed');
  const fields = await listFields(db);
  try {
    return await withRepository(
      app,
      db,
      { idRepository: asked.idRepository ?? null, signal },
      async (files) => {
        const head = new FileHead(files, asked, join(app.config.dataDir, 'tmp'), signal);
        const dialect = await head.dialect();
        const records = await head.read(dialect.csv, { rows: maxRows + 1 });
        return { ...head.sheets, ...previewOf(asked, dialect, records, fields) };
      },
    );
  } catch (error) {
    if (signal.aborted) throw refused(`filename: the file takes longer than ${limitMs / 1000} s to preview`);
    if (error instanceof TableError) throw refused(`filename: ${error.message}`);
    throw error;
  }
}

type Sheets = Pick<Preview, 'sheetName' | 'sheetNames'>;

interface Dialect {
  readonly csv: CsvOptions;
  readonly isWorkbook: boolean;
}

/** The beginning of a file, read as often as guesses need it. */
class FileHead {
  readonly #files: RepositoryFiles;
  readonly #asked: Static<typeof NewPreview>;
  readonly #tmpDir: string;
  readonly #signal: AbortSignal;
  #sheets: Sheets = { sheetName: null, sheetNames: [] };

  constructor(files: RepositoryFiles, asked: Static<typeof NewPreview>, tmpDir: string, signal: AbortSignal) {
    this.#files = files;
    this.#asked = asked;
    this.#tmpDir = tmpDir;
    this.#signal = signal;
  }

  /** The sheets of a workbook that was read. */
  get sheets(): Sheets {
    return this.#sheets;
  }

  /** How the file is read: as the request says, or else guessed. */
  async dialect(): Promise<Dialect> {
    const { textQualifier, columnDelimiter, startLine } = this.#asked;
    const given = textQualifier ?? '"';
    const qualifier = given.toLowerCase() === '<none>' ? '' : spelledOut(given);
    if (qualifier.length > 1) throw invalid('textQualifier: must be one character, or <none>');
    const { codePage, lines } = await this.#lines();
    const delimiter = columnDelimiter == null ? guessDelimiter(lines) : spelledOut(columnDelimiter);
    if (delimiter === qualifier) throw invalid('textQualifier: must differ from the delimiter');
    return {
      csv: { codePage, delimiter, qualifier, rowDelimiter: 'lines', startLine: startLine ?? 1 },
      isWorkbook: this.#sheets.sheetName !== null,
    };
  }

  /** The lines of the file, each whole, and the code page that they are written in. */
  async #lines(): Promise<{ codePage: number; lines: string[] }> {
    const limits = { rows: maxLines, characters: maxLooked };
    const read = (codePage: number) => this.read({ ...wholeLines(this.#asked.startLine), codePage }, limits);
    const given = this.#asked.codepage;
    let codePage = given ?? utf8;
    let records = await read(codePage);
    if (given == null && records.some(({ fault }) => fault === foreignBytesFault)) {
      codePage = western;
      records = await read(codePage);
    }
    const lines = records.flatMap(({ cells }) => cells[0] ?? []);
    return { codePage, lines: lines.slice(0, 100) };
  }

  async read(
    csv: CsvOptions,
    { rows, characters = Number.POSITIVE_INFINITY }: { readonly rows: number; readonly characters?: number },
  ): Promise<TableRecord[]> {
    const format = { csv, sheetName: this.#asked.sheetName?.trim() ?? '', leastColumns: 0 };
    const records: TableRecord[] = [];
    let read = 0;
    for await (const group of readTable(this.#watched(), this.#asked.filename, {
      format,
      tmpDir: this.#tmpDir,
      // A workbook is read on from the disk after the repository has been closed.
      progress: async () => this.#signal.throwIfAborted(),
      foundSheets: (sheetName, names) => {
        const sheetNames = names.filter(canBeNamed).slice(0, maxSheets);
        this.#sheets = { sheetName: sheetName.slice(0, maxSheetName), sheetNames };
      },
    })) {
      for (const record of group) {
        records.push(record);
        read += record.cells.reduce((sum, cell) => sum + cell.length, 0);
        if (records.length >= rows || read >= characters) return records;
      }
    }
    return records;
  }

  /** The repository, whose files end when the time limit is reached. */
  #watched(): Pick<RepositoryFiles, 'stat' | 'read' | 'settlesMs' | 'place'> {
    const files = this.#files;
    const signal = this.#signal;
    return {
      place: files.place,
      settlesMs: files.settlesMs,
      stat: (name) => files.stat(name),
      async read(name) {
        const source = await files.read(name);
        const end = () => void source.destroy(new Error('The preview reached its time limit'));
        signal.addEventListener('abort', end, { once: true });
        source.once('close', () => signal.removeEventListener('abort', end));
        return source;
      },
    };
  }
}

/** Whether an import can name such a sheet. */
const canBeNamed = (name: string): boolean =>
  name.trim() !== '' && name.length <= maxSheetName && !/\p{Cc}/u.test(name);

const utf8 = 65_001;
const western = 1252;

/** Cuts a text into its lines: the delimiter is one that no text has. */
const wholeLines = (startLine: number | null | undefined) =>
  ({ delimiter: '\u0000', qualifier: '', rowDelimiter: 'lines', startLine: startLine ?? 1 }) as const;

function previewOf(
  asked: Static<typeof NewPreview>,
  { csv, isWorkbook }: Dialect,
  records: readonly TableRecord[],
  fields: Parameters<typeof guessFields>[1],
): Omit<Preview, keyof Sheets> {
  const table = records.map(({ cells }) => cells.slice(0, maxColumns).map((cell) => cell.slice(0, maxCell)));
  const first = table[0] ?? [];
  const hasNames = asked.columnNamesFirstLine ?? guessHasNames(first);
  const rows = table.slice(hasNames ? 1 : 0).slice(0, maxRows);
  const width = hasNames ? first.length : Math.max(0, ...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, i) => ({
    name: hasNames ? first[i]!.trim() : String(i + 1),
    values: rows.map((row) => row[i] ?? ''),
  }));
  const guessed = guessFields(columns, fields);
  return {
    isWorkbook,
    startLine: csv.startLine,
    columnNamesFirstLine: hasNames,
    textQualifier: csv.qualifier === '' ? '<none>' : csv.qualifier,
    columnDelimiter: csv.delimiter.replaceAll('\t', '\\t'),
    codepage: csv.codePage,
    columns: columns.map(({ name }, i) => ({ name, dbFieldName: guessed[i] ? `fld${guessed[i].id}` : null })),
    rows,
  };
}
