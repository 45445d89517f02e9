import { maxFieldsPerCall } from '../fields/field.ts';
import {
  Bool,
  Closed,
  Code,
  Count,
  Id,
  IdOf,
  Line,
  Maybe,
  Nullable,
  OneOf,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import type { StatisticsRequest } from './statistics-export.ts';

/** States; `idExportJobState` is the place in this list, from 1. An export that waits for a retry is SCHEDULED. */
export const exportStates = ['SCHEDULED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;
export type ExportJobState = (typeof exportStates)[number];

export const idOfState = (state: ExportJobState): number => exportStates.indexOf(state) + 1;

/** Exports of a site that may be SCHEDULED or RUNNING at a time. */
export const maxOpenExports = 10;

export const compressions = ['GZip', 'Zip'] as const;
export type Compression = (typeof compressions)[number];
export const encodings = ['None', 'MD5', 'SHA1', 'SHA2_256', 'SHA2_512'] as const;
export type Encoding = (typeof encodings)[number];
const listKinds = ['ID', 'VALUE'] as const;

const FieldNames = (description: string) =>
  Type.Array(IdOf('field', Line(20)), { maxItems: maxFieldsPerCall, description });

/** The properties of createExport; export-settings.ts applies the defaults. */
export const ExportRequest = Closed('ExportRequest', {
  idTarget: Id('target', 'Selects the subscribers'),
  idsFields: FieldNames('The columns of the file, in this order: ids of fields, for example `1` or `fld1`'),
  idsEncodeFields: FieldNames(
    'Fields whose values, one after the other and hashed, fill a last column `hash`; in clear with encoding None',
  ),
  filename: Maybe(Line(255, 'Default: export_<idsite>_<idExportJob>_<yyyyMMddHHmmss>.csv')),
  quantity: Maybe(Count('Maximum number of subscribers, those with the smallest ids; 0 means all')),
  typeList: OneOf(listKinds, 'Whether a List is written as its key (ID) or its text (VALUE)'),
  compress: Maybe(OneOf(compressions)),
  encoding: OneOf(encodings, 'The hash of the last column, in hex; None writes the values as they are'),
  exportSubFolder: Maybe(Line(1_024, 'A folder of the account, made when it is missing')),
  idRepository: Maybe(
    IdOf('repository', Count('An SFTP account of listRepositories. Default: the site’s default account')),
  ),
  codePage: Maybe(Code({ 0: 'the default', 1252: 'Western European', 65001: 'UTF-8' }, 'Default: 1252')),
  columnSeparator: Maybe(Text(10, 'Default: semicolon. Tab, {t} or \\t for a tab')),
  idNewLineCharacter: Maybe(Code({ 0: 'the default', 1: 'CR LF', 2: 'LF' }, 'Line end. Default: 1')),
  escapeFormulas: Maybe(
    Bool(
      "For a file that people open in a spreadsheet; default: false. Puts a ' before texts " +
        'and names of fields that begin with = + - @, a tab, a line end, or a full-width form of ' +
        'these marks, because spreadsheets read them as formulas. That changes data: do not import such a ' +
        'file. Integers, dates and hashes do not change. Rejected with encoding None and idsEncodeFields',
    ),
  ),
});
export type ExportRequest = Static<typeof ExportRequest>;

/** Which rows and columns: the part of the request that the document's Export job has no members for. */
const ExportSelection = Closed('ExportSelection', {
  idTarget: Id('target'),
  idsFields: Type.Array(Line(20)),
  idsEncodeFields: Type.Array(Line(20)),
  typeList: OneOf(listKinds),
  encoding: OneOf(encodings),
  escapeFormulas: Bool(),
});

/** A map from ids, as text, to what they stand for. */
const MapOf = <T extends Parameters<typeof Nullable>[0]>(title: string, value: T, description: string) =>
  Type.Record(Type.String(), value, { title, description });
const Empty = (title: string) => Closed(title, {});

/** There are no schedules of exports: these members are always empty. */
const unscheduled = () => Type.Null({ description: 'Exports run once: always null' });
const schedule = {
  scheduleFilePattern: unscheduled(),
  scheduleFileRetentionInNbDays: unscheduled(),
  scheduleEnabled: Count('0: exports run once'),
  scheduleFreqType: unscheduled(),
  scheduleFreqInterval: unscheduled(),
  scheduleFreqSubdayType: unscheduled(),
  scheduleFreqSubdayInterval: unscheduled(),
  scheduleFreqRelativeInterval: unscheduled(),
  scheduleFreqRecurrenceFactor: unscheduled(),
  scheduleActiveStartDate: unscheduled(),
  scheduleActiveEndDate: unscheduled(),
  scheduleActiveStartTime: unscheduled(),
  scheduleActiveEndTime: unscheduled(),
};

const Account = () => Count('As idRepository of listRepositories: 0 is the embedded SFTP server');

export const ExportJobFtp = Closed('ExportJobFtp', {
  idExportJobFtp: Account(),
  host: Line(255),
  subfolder: Text(1_024),
  port: Count(),
  login: Text(255),
  password: Text(1_024, '`********`, except to an admin token'),
  idPrimaryKey: Closed('ExportJobFtpKey', { idExportJobFtp: Account() }),
  exportJobs: MapOf(
    'ExportJobs',
    Line(255),
    'Names of the exports that have not ended on this account, by id',
  ),
});
export type ExportJobFtp = Static<typeof ExportJobFtp>;

/** The document's full detail of an export. */
export const ExportJob = Closed('ExportJob', {
  idExportJob: Id('export'),
  creationDate: Timestamp(),
  idCreationUser: Id('user'),
  lastModificationDate: Timestamp(),
  idLastModificationUser: Id('user'),
  lastExecutionDate: Nullable(Timestamp()),
  idExportJobState: Count('1 SCHEDULED, 2 RUNNING, 3 COMPLETED, 4 FAILED'),
  idExportType: Count('1: subscribers of a target, 2: statistics'),
  isEnabled: Bool(),
  name: Line(255),
  description: Text(2_000, 'The result: lines, replaced characters, or why it failed or waits'),
  islockedByAdmin: Bool(),
  adminComments: Text(2_000),
  fileName: Line(255),
  exportSubFolder: Line(1_024),
  idExportJobFtp: Account(),
  nbLineToExport: Count('0: all'),
  isRandomized: Bool(),
  idCompressionMode: Count('0 none, 1 GZip, 2 Zip'),
  columnSeparator: Text(1),
  escapedTextDelimiter: Text(2),
  textDelimiter: Text(1),
  isHeaderIncludedInFirstRow: Bool(),
  idNewLineCharacter: Code({ 1: 'CR LF', 2: 'LF' }, 'What ends the lines'),
  codePage: Code({ 1252: 'Western European', 65001: 'UTF-8' }, 'How the text is encoded'),
  errorEmailAddresses: Text(254),
  reportEmailAdresses: Text(254),
  ...schedule,
  idPrimaryKey: Closed('ExportJobKey', { idExportJob: Id('export') }),
  exportJobFtp: Nullable(ExportJobFtp),
  exportJobDtsxes: Empty('ExportJobDtsxes'),
  exportJobSubscribers: MapOf('ExportJobSubscribers', ExportSelection, 'What is exported, by idExportJob'),
  exportJobTsqls: Empty('ExportJobTsqls'),
});
export type ExportJob = Static<typeof ExportJob>;

export const noSchedule = {
  ...(Object.fromEntries(Object.keys(schedule).map((name) => [name, null])) as {
    [Name in keyof typeof schedule]: null;
  }),
  scheduleEnabled: 0,
};

export const ExportState = Closed('ExportState', {
  idExportJob: Id('export'),
  name: Line(255),
  jobCreationDate: Timestamp(),
  idExportJobFtp: Account(),
  lastExecutionStartDate: Nullable(Timestamp()),
  lastExecutionEndDate: Nullable(Timestamp()),
  filepath: Nullable(Line(1_300, 'Below the root of the repository; null until the file is there, whole')),
  nbLines: Nullable(Count('Lines of the file below its header; null until it is written')),
  exportJobState: OneOf(exportStates),
  author: Nullable(
    Type.String({
      title: 'String',
      description: 'The user who requested it; null if the user no longer exists',
    }),
  ),
});
export type ExportState = Static<typeof ExportState>;

export interface StoredExport {
  readonly id: number;
  readonly idUser: number;
  readonly request: ExportRequest | StatisticsRequest;
  /** `embeddedRepository`, or an external one. */
  readonly idRepository: number;
  readonly createdAt: Date;
  readonly state: ExportJobState;
  readonly runs: number;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly failingSince: Date | null;
  readonly nbLines: number | null;
  readonly nbReplaced: number | null;
  readonly message: string;
}
