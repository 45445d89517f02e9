import type { FileStat } from '../files/repository.ts';
import {
  Bool,
  Closed,
  Count,
  Id,
  Line,
  Maybe,
  Nullable,
  OneOf,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';

/** In the document's order; `idImportState` is the place in this list, from 1. */
export const importStates = [
  'Scheduled',
  'InProgress',
  'Completed',
  'Paused',
  'PackageErrorCreation',
] as const;
export type ImportState = (typeof importStates)[number];

export const idOfState = (state: ImportState): number => importStates.indexOf(state) + 1;

/** Where a field's values come from: a column of the file, one fixed value, nowhere, or the time of the import. */
export const mappingMode = { column: 1, fixed: 2, none: 3, time: 4 } as const;

const ColumnMapping = Closed('ColumnMapping', {
  dbFieldName: Line(20),
  idMappingMode: Type.Integer({ minimum: 1, maximum: 4 }),
  fileColumnName: Maybe(Line(255)),
  fixedValue: Maybe(Text(10_000)),
  format: Maybe(Line(50)),
});

/** How a file is read and what becomes of its rows; import-settings.ts gives what is left out its default. */
export const ImportParameters = Closed('ImportParameters', {
  filename: Line(1_024),
  startLine: Maybe(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  columnNamesFirstLine: Maybe(Bool()),
  textQualifier: Maybe(Text(10)),
  columnDelimiter: Maybe(Text(10)),
  rowDelimiter: Maybe(Text(20)),
  codepage: Maybe(Count()),
  sheetName: Maybe(Line(255)),
  keyDbFieldName: Maybe(Line(20)),
  keepFld7: Maybe(Bool()),
  insertEnabled: Maybe(Bool()),
  safeMode: Maybe(Bool()),
  emailNotification: Maybe(Line(1_000)),
  deleteFile: Maybe(Bool()),
  columnMapping: Type.Array(ColumnMapping, { minItems: 1, maxItems: 200 }),
});
export type ImportParameters = Static<typeof ImportParameters>;

const counters = {
  totalRows: Count(),
  totalDuplicateKeys: Count(),
  nbValidations: Count(),
  nbErrorRows: Count(),
  nbBadFormattedRows: Count(),
  totalUpdates: Count(),
  nbUpdates: Count(),
  totalInserts: Count(),
  nbInserts: Count(),
  nbForbiddenInserts: Count(),
};

/** What one run of an import did. */
export const ImportLog = Closed('ImportLog', {
  id: Id(),
  filename: Line(1_024),
  startDate: Timestamp(),
  endDate: Timestamp(),
  errorMessage: Nullable(Text(10_000)),
  badFormattedRowNumbers: Text(20_000),
  ...counters,
});
export type ImportLog = Static<typeof ImportLog>;

export const Import = Closed('Import', {
  id: Id(),
  parameters: ImportParameters,
  creationDate: Timestamp(),
  importState: OneOf(importStates),
  isDeleted: Bool(),
  deletionDate: Nullable(Timestamp()),
  schedulingInfos: Closed('ImportSchedulingInfos', { scheduledDate: Timestamp() }),
  lastImportLog: Nullable(ImportLog),
});
export type Import = Static<typeof Import>;

const unset = () => Type.Optional(Type.Null());
/** What is sent to create one: only the parameters. The other members may stand there empty. */
export const NewImport = Closed('NewImport', {
  parameters: ImportParameters,
  id: unset(),
  creationDate: unset(),
  importState: unset(),
  isDeleted: unset(),
  deletionDate: unset(),
  schedulingInfos: unset(),
  lastImportLog: unset(),
});

export const ImportListItem = Closed('ImportListItem', {
  id: Id(),
  filename: Line(1_024),
  author: Text(255),
  scheduledDate: Timestamp(),
  idImportState: Count(),
  importState: OneOf(importStates),
  progression: Line(10),
  startDate: Nullable(Timestamp()),
  endDate: Nullable(Timestamp()),
  ...counters,
});
export type ImportListItem = Static<typeof ImportListItem>;

export type ImportCounters = { -readonly [Name in keyof typeof counters]: number };

/** Counters of a run that has read nothing yet. */
export const noCounters = (): ImportCounters => ({
  totalRows: 0,
  totalDuplicateKeys: 0,
  nbValidations: 0,
  nbErrorRows: 0,
  nbBadFormattedRows: 0,
  totalUpdates: 0,
  nbUpdates: 0,
  totalInserts: 0,
  nbInserts: 0,
  nbForbiddenInserts: 0,
});

/** Tells one content of a file from a later one of the same name; null when there is no file. */
export function fileVersion(stat: FileStat | undefined): string | null {
  return stat ? `${stat.size} ${stat.modifiedAt.getTime()}` : null;
}
