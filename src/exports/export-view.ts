import { namesOfUsers } from '../accounts/user-store.ts';
import type { App } from '../platform/app.ts';
import type { ExportJob, ExportJobFtp, ExportState, StoredExport } from './export.ts';
import { compressions, idOfState, noSchedule } from './export.ts';
import { fileNameOf, filePathOf, settingsOf } from './export-settings.ts';

/** The states of exports, as the document shows them, each with its author. */
export async function showStates(
  app: App,
  site: string,
  of: readonly StoredExport[],
): Promise<ExportState[]> {
  const ids = of.map(({ idUser }) => idUser);
  const names = await namesOfUsers(app.control, ids);
  return of.map((one) => exportState(one, site, names.get(one.idUser) ?? null));
}

function exportState(of: StoredExport, site: string, author: string | null): ExportState {
  const settings = settingsOf(of.request);
  return {
    idExportJob: of.id,
    name: fileNameOf(settings, site, of),
    jobCreationDate: of.createdAt.toISOString(),
    idExportJobFtp: of.idRepository,
    lastExecutionStartDate: of.startedAt?.toISOString() ?? null,
    lastExecutionEndDate: of.endedAt?.toISOString() ?? null,
    filepath: of.state === 'COMPLETED' ? filePathOf(settings, site, of) : null,
    nbLines: of.nbLines,
    exportJobState: of.state,
    author,
  };
}

/** An export's full detail. @param email who is notified of the end; '' if the user no longer exists */
export function exportJob(
  of: StoredExport,
  { site, email, ftp }: { site: string; email: string; ftp: ExportJobFtp | null },
): ExportJob {
  const { request } = of;
  const settings = settingsOf(request);
  const name = fileNameOf(settings, site, of);
  return {
    idExportJob: of.id,
    creationDate: of.createdAt.toISOString(),
    idCreationUser: of.idUser,
    // Nothing about an export can be changed once it is made.
    lastModificationDate: of.createdAt.toISOString(),
    idLastModificationUser: of.idUser,
    lastExecutionDate: of.startedAt?.toISOString() ?? null,
    idExportJobState: idOfState(of.state),
    idExportType: 'statistics' in settings ? 2 : 1,
    isEnabled: true,
    name,
    description: outcomeOf(of, settings),
    islockedByAdmin: false,
    adminComments: '',
    fileName: name,
    exportSubFolder: settings.folder,
    idExportJobFtp: of.idRepository,
    nbLineToExport: ('quantity' in settings && settings.quantity) || 0,
    isRandomized: false,
    idCompressionMode: settings.compression ? compressions.indexOf(settings.compression) + 1 : 0,
    columnSeparator: settings.separator,
    escapedTextDelimiter: '""',
    textDelimiter: '"',
    isHeaderIncludedInFirstRow: true,
    idNewLineCharacter: settings.lineEnd === '\r\n' ? 1 : 2,
    codePage: settings.codePage,
    errorEmailAddresses: email,
    reportEmailAdresses: email,
    ...noSchedule,
    idPrimaryKey: { idExportJob: of.id },
    exportJobFtp: ftp,
    exportJobDtsxes: {},
    exportJobSubscribers: selectionOf(of, settings),
    exportJobTsqls: {},
  };
}

function selectionOf(
  { id, request }: StoredExport,
  settings: ReturnType<typeof settingsOf>,
): ExportJob['exportJobSubscribers'] {
  if ('statistics' in settings || 'statType' in request) return {};
  return {
    [id]: {
      idTarget: settings.idTarget,
      idsFields: settings.idsFields.map(String),
      idsEncodeFields: settings.idsEncodeFields.map(String),
      typeList: request.typeList,
      encoding: settings.encoding,
      escapeFormulas: settings.escapesFormulas,
    },
  };
}

function outcomeOf(
  { state, message, nbLines, nbReplaced, request }: StoredExport,
  { codePage }: { readonly codePage: number },
): string {
  if (state === 'FAILED') return message;
  if (state !== 'COMPLETED') return message === '' ? '' : `Waits for the next attempt: ${message}`;
  const replaced = nbReplaced
    ? `; ${nbReplaced} characters that code page ${codePage} does not have, written as ?`
    : '';
  return `${nbLines} ${'statType' in request ? 'lines' : 'subscribers'}${replaced}`;
}
