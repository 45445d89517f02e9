import { maxFieldsPerCall } from '../fields/field.ts';
import type { FileStat } from '../files/repository.ts';
import {
  Bool,
  Closed,
  Code,
  Count,
  Id,
  Line,
  Maybe,
  Nullable,
  OneOf,
  ReadOnly,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { ImportSchedulingInfos, ImportSchedulingOnceInfos, NewSchedulingInfos } from './import-schedule.ts';
import { importStates } from './import-state.ts';

/** Where a field's values come from: a column of the file, one fixed value, nowhere, or the time of the import. */
export const mappingMode = { column: 1, fixed: 2, none: 3, time: 4 } as const;

const ColumnMapping = Closed('ColumnMapping', {
  dbFieldName: Maybe(
    Line(20, 'The field to fill: `fld` and its id, for example fld101. Only mode 3 needs none'),
  ),
  idMappingMode: Code(
    {
      [mappingMode.column]: 'a column of the file',
      [mappingMode.fixed]: 'fixedValue',
      [mappingMode.none]: 'nowhere',
      [mappingMode.time]: 'the time of the import',
    },
    'Where the values come from',
  ),
  fileColumnName: Maybe(
    Line(255, 'Mode 1: the name of the column, or its number from 1 in a file without names'),
  ),
  fixedValue: Maybe(Text(10_000, "Mode 2: one value for all rows, written as a cell would be; '' empties")),
  format: Maybe(
    Line(
      50,
      'For a Date: its format in the file, from yyyy yy MM M dd d HH H mm ss, for example dd/MM/yyyy HH:mm. ' +
        'Default: ISO 8601. For a List: KEY (the default) or VALUE',
    ),
  ),
});

/** Parameters for reading a file and importing its rows; `inFull` fills in the defaults. */
export const ImportParameters = Closed('ImportParameters', {
  filename: Line(
    1_024,
    'A CSV or XLSX file, plain or in .gz or .zip, below the root of the SFTP account; may name a folder',
  ),
  startLine: Maybe(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'The first line to read, counted from 1; it has the names of the columns. Default: 1',
    }),
  ),
  columnNamesFirstLine: Maybe(Bool('Whether the first line has the names of the columns. Default: true')),
  textQualifier: Maybe(
    Text(10, 'One character that encloses values with a delimiter in them, or <none>. Default: "'),
  ),
  columnDelimiter: Maybe(Text(10, 'Default: semicolon. Tab, {t} or \\t for a tab')),
  rowDelimiter: Maybe(Text(20, 'Default: line ends of either kind; write them as {CR} and {LF}')),
  codepage: Maybe(
    Count(
      'The encoding: 1252 (Western European) or 65001 (UTF-8). Default: 1252. A byte-order mark overrides it',
    ),
  ),
  sheetName: Maybe(Line(255, 'The sheet of an XLSX file. Default: the first sheet that is not hidden')),
  keyDbFieldName: Maybe(
    Line(
      20,
      'The field that identifies the subscriber of a row: fld1 (email, the default), fld0 (id), fld43 (client id) ' +
        'or a custom Text or Integer field. It must be mapped to a column',
    ),
  ),
  keepFld7: Maybe(
    Bool(
      'true: no existing subscriber is subscribed or unsubscribed. ' +
        'false: rows subscribe, unless a column is mapped to fld7. Default: true',
    ),
  ),
  insertEnabled: Maybe(
    Bool('Whether new subscribers are added; existing ones are changed in any case. Default: true'),
  ),
  safeMode: Maybe(Bool('Whether a single bad row prevents all changes. Default: false')),
  emailNotification: Maybe(Line(1_000, 'Addresses that are notified of the end, separated by ;')),
  deleteFile: Maybe(Bool('Whether to delete the file after the import. Default: false')),
  columnMapping: Type.Array(ColumnMapping, { minItems: 1, maxItems: maxFieldsPerCall }),
});
export type ImportParameters = Static<typeof ImportParameters>;

/** Fills in defaults. Shown, because a client that reads an omitted `keepFld7` as false would resubscribe people. */
export function inFull(given: ImportParameters) {
  return {
    filename: given.filename,
    startLine: given.startLine ?? 1,
    columnNamesFirstLine: given.columnNamesFirstLine ?? true,
    textQualifier: given.textQualifier ?? '"',
    columnDelimiter: given.columnDelimiter ?? ';',
    // Stands for LF as well.
    rowDelimiter: given.rowDelimiter ?? '{CR}{LF}',
    codepage: given.codepage ?? 1252,
    sheetName: given.sheetName ?? null,
    keyDbFieldName: given.keyDbFieldName ?? 'fld1',
    keepFld7: given.keepFld7 ?? true,
    insertEnabled: given.insertEnabled ?? true,
    safeMode: given.safeMode ?? false,
    emailNotification: given.emailNotification ?? null,
    deleteFile: given.deleteFile ?? false,
    columnMapping: given.columnMapping.map((one) => ({
      dbFieldName: one.dbFieldName ?? null,
      idMappingMode: one.idMappingMode,
      fileColumnName: one.fileColumnName ?? null,
      fixedValue: one.fixedValue ?? null,
      format: one.format ?? null,
    })),
  } satisfies ImportParameters;
}

/** Counters of a run, as its log and the list of imports have them. */
export const counters = {
  totalRows: Count('Rows read: nbValidations + nbErrorRows + nbBadFormattedRows'),
  totalDuplicateKeys: Count('Valid rows that a later row with the same key replaced'),
  nbValidations: Count(
    'Sound rows: totalDuplicateKeys + totalUpdates + totalInserts. 0, like the other counts of rows that were ' +
      'read, for a run that was given up while it wrote: the last four count what it wrote',
  ),
  nbErrorRows: Count('Rows with a value that does not fit its field'),
  nbBadFormattedRows: Count('Rows that could not be divided into the columns'),
  totalUpdates: Count('Rows whose subscriber was found'),
  nbUpdates: Count('The rows of existing subscribers that changed a value'),
  totalInserts: Count('Rows whose subscriber was not found'),
  nbInserts: Count('Subscribers added'),
  nbForbiddenInserts: Count('Not added because insertEnabled is false'),
};

export const ImportLog = Closed('ImportLog', {
  id: Id('import'),
  filename: Line(1_024),
  startDate: Timestamp(),
  endDate: Timestamp(),
  errorMessage: Nullable(
    Text(
      10_000,
      'Why the run could not begin or end, why safeMode kept it from changing anything, or that the file of the ' +
        'rejected rows is not written yet, or why it could not be written',
    ),
  ),
  badFormattedRowNumbers: Text(
    20_000,
    'Numbers of the rows refused; <filename>.errors.csv says why each was',
  ),
  ...counters,
});
export type ImportLog = Static<typeof ImportLog>;

export const Import = Closed('Import', {
  id: Id('import'),
  parameters: ImportParameters,
  creationDate: Timestamp(),
  importState: OneOf(importStates),
  isDeleted: Bool(),
  deletionDate: Nullable(Timestamp()),
  schedulingInfos: Type.Union([ImportSchedulingInfos, ImportSchedulingOnceInfos]),
  lastImportLog: Nullable(ImportLog),
});
export type Import = Static<typeof Import>;

const madeByService = {
  id: ReadOnly(),
  creationDate: ReadOnly(),
  importState: ReadOnly(),
  isDeleted: ReadOnly(),
  deletionDate: ReadOnly(),
  lastImportLog: ReadOnly(),
};
/** The properties of an immediate import: only the parameters. Other properties may be empty. */
export const NewImport = Closed('NewImport', {
  parameters: ImportParameters,
  // Not ignored: who gives a date here means another operation.
  schedulingInfos: Type.Optional(
    Type.Null({ readOnly: true, description: 'Made by the service: null or left out' }),
  ),
  ...madeByService,
});
/** The properties of an import with an exact date or recurring dates. */
export const NewScheduledImport = Closed('NewScheduledImport', {
  parameters: ImportParameters,
  schedulingInfos: NewSchedulingInfos,
  ...madeByService,
});

export const ImportListItem = Closed('ImportListItem', {
  id: Id('import'),
  filename: Line(1_024, 'The file of the planned or current run; without one, of the last run'),
  author: Text(255),
  scheduledDate: Timestamp(),
  idImportState: Count(),
  importState: OneOf(importStates),
  progression: Line(10),
  startDate: Nullable(Timestamp()),
  endDate: Nullable(Timestamp()),
  ...counters,
  nbUnchanged: Count('Rows of existing subscribers that changed no value'),
});
export type ImportListItem = Static<typeof ImportListItem>;

/** Begins the error of a run that safe mode kept from changing anything. */
export const safeModeMessage = 'Safe mode: some rows cannot be imported, so nothing was changed';

export type ImportCounters = { -readonly [Name in keyof typeof counters]: number };

/** Counters of a run that has read nothing yet. */
export const noCounters = (): ImportCounters =>
  Object.fromEntries(Object.keys(counters).map((name) => [name, 0])) as ImportCounters;

/** Reports one content of a file from a later one of the same name; null when there is no file. */
export function fileVersion(stat: FileStat | undefined): string | null {
  return stat ? `${stat.size} ${stat.modifiedAt.getTime()}` : null;
}
