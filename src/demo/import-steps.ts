import SftpClient from 'ssh2-sftp-client';
import type { ApiClient } from './api-client.ts';
import type { Service } from './find-service.ts';
import { type Terminal, waitFor } from './terminal.ts';

/** Puts the file into the site's account, as a customer's program would. */
export async function putFile(
  service: Service,
  admin: ApiClient,
  name: string,
  bytes: Buffer,
): Promise<void> {
  const account = await admin.get<{ login: string; password: string }>('/sites/demo/sftp-account');
  const sftp = new SftpClient();
  await sftp.connect({
    host: '127.0.0.1',
    port: service.sftpPort,
    username: account.login,
    password: account.password,
  });
  try {
    await sftp.put(bytes, name);
  } finally {
    await sftp.end();
  }
}

/** Expected log of an import, in the log's own names. */
export interface ExpectedLog {
  readonly totalRows: number;
  readonly nbValidations: number;
  readonly nbErrorRows: number;
  readonly nbBadFormattedRows: number;
  readonly badFormattedRowNumbers: string;
  readonly totalDuplicateKeys: number;
  readonly nbForbiddenInserts: number;
  /** totalUpdates + nbInserts: the people of the file who are in the site afterwards. */
  readonly found: number;
}

interface ImportLog extends Omit<ExpectedLog, 'found'> {
  readonly totalUpdates: number;
  readonly nbUpdates: number;
  readonly nbInserts: number;
  readonly errorMessage: string | null;
}

export interface ImportSettings {
  readonly codepage: number;
  readonly keepFld7: boolean;
  readonly insertEnabled: boolean;
  /** The column of each field that comes from the file. */
  readonly columns: Readonly<Record<number, string>>;
  /** Fields with one value for all. */
  readonly fixed: Readonly<Record<number, string>>;
}

/** Imports a file by email and waits for its log. */
export async function importFile(
  site: ApiClient,
  filename: string,
  { columns, fixed, ...settings }: ImportSettings,
  out: Terminal,
): Promise<ImportLog & { readonly found: number }> {
  const made = await site.post<{ id: number; schedulingInfos: { scheduledDate: string } }>(
    '/imports/immediate',
    {
      parameters: {
        filename,
        startLine: 1,
        columnNamesFirstLine: true,
        textQualifier: '"',
        columnDelimiter: ';',
        rowDelimiter: '\r\n',
        keyDbFieldName: 'fld1',
        safeMode: false,
        deleteFile: false,
        ...settings,
        columnMapping: [
          ...Object.entries(columns).map(([field, fileColumnName]) => ({
            dbFieldName: `fld${field}`,
            idMappingMode: 1,
            fileColumnName,
          })),
          ...Object.entries(fixed).map(([field, fixedValue]) => ({
            dbFieldName: `fld${field}`,
            idMappingMode: 2,
            fixedValue,
          })),
        ],
      },
    },
  );
  out.say(`import ${made.id} is scheduled for ${made.schedulingInfos.scheduledDate}`);
  const log = await waitFor('the import', async () => {
    const now = await site.get<{ importState: string; lastImportLog: ImportLog | null }>(
      `/imports/${made.id}`,
    );
    out.progress(`import ${now.importState}`);
    if (now.importState === 'PackageErrorCreation') {
      throw new Error(`The import could not run: ${now.lastImportLog?.errorMessage}`);
    }
    return now.importState === 'Completed' ? (now.lastImportLog ?? undefined) : undefined;
  });
  out.say(`${log.nbInserts} added, ${log.nbUpdates} changed`);
  return { ...log, found: log.totalUpdates + log.nbInserts };
}
