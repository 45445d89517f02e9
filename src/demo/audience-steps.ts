import SftpClient from 'ssh2-sftp-client';
import type { ApiClient } from './api-client.ts';
import type { Service } from './find-service.ts';
import type { SubscriberFile } from './subscriber-file.ts';
import { type Terminal, waitFor } from './terminal.ts';

/** The custom fields of the demo, by their name; a second run finds them again. */
export interface DemoFields {
  readonly firstName: number;
  readonly city: number;
  readonly points: number;
}

interface Field {
  readonly id: number;
  readonly name: string;
}

const definitions = {
  firstName: { name: 'Demo first name', fieldType: 'Text', length: 60 },
  city: { name: 'Demo city', fieldType: 'Text', length: 60 },
  points: { name: 'Demo points', fieldType: 'Integer' },
} as const;

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

/** Makes the custom fields that are not there yet. */
export async function makeFields(site: ApiClient): Promise<DemoFields> {
  const known = await site.get<Field[]>('/fields');
  const made = async (definition: (typeof definitions)[keyof typeof definitions]) => {
    const found = known.find((field) => field.name === definition.name);
    return (found ?? (await site.post<Field>('/fields', definition))).id;
  };
  return {
    firstName: await made(definitions.firstName),
    city: await made(definitions.city),
    points: await made(definitions.points),
  };
}

export interface ImportLog {
  readonly totalRows: number;
  readonly totalDuplicateKeys: number;
  readonly nbErrorRows: number;
  readonly nbInserts: number;
  readonly nbUpdates: number;
  readonly badFormattedRowNumbers: string;
  readonly errorMessage: string | null;
}

/** Imports the file and waits for its log. */
export async function importFile(
  site: ApiClient,
  filename: string,
  fields: DemoFields,
  out: Terminal,
): Promise<ImportLog> {
  const column = (dbField: number, fileColumnName: string) => ({
    dbFieldName: `fld${dbField}`,
    idMappingMode: 1,
    fileColumnName,
  });
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
        codepage: 1252,
        keyDbFieldName: 'fld1',
        keepFld7: false,
        insertEnabled: true,
        safeMode: false,
        deleteFile: false,
        columnMapping: [
          column(1, 'email'),
          column(fields.firstName, 'firstname'),
          column(fields.city, 'city'),
          column(fields.points, 'points'),
          column(7, 'status'),
          { dbFieldName: 'fld6', idMappingMode: 2, fixedValue: 'demo' },
        ],
      },
    },
  );
  out.say(`import ${made.id} is scheduled for ${made.schedulingInfos.scheduledDate}`);
  return waitFor('the import', async () => {
    const now = await site.get<{ importState: string; lastImportLog: ImportLog | null }>(
      `/imports/${made.id}`,
    );
    out.progress(`import ${now.importState}`);
    if (now.importState === 'PackageErrorCreation') {
      throw new Error(`The import could not run: ${now.lastImportLog?.errorMessage}`);
    }
    return now.importState === 'Completed' ? (now.lastImportLog ?? undefined) : undefined;
  });
}

/** The subscribed people with at least `points` points. */
export async function makeTarget(site: ApiClient, fields: DemoFields, points: number): Promise<number> {
  const target = await site.post<{ id: number }>('/targets', { name: `Demo: ${points} points or more` });
  await site.put('/targets/filters/field', {
    idTarget: target.id,
    isEnabled: true,
    filters: [
      { idField: 7, operator: 'Equal', value: '0' },
      { idField: fields.points, operator: 'GreaterOrEqual', value: String(points) },
    ],
  });
  return target.id;
}

/** A target of two of our own people, for the test mailing. */
export async function makeTestTarget(site: ApiClient): Promise<number> {
  const emails = ['tester-1@facteur.example', 'tester-2@facteur.example'];
  const found = await site.get<({ id: number } | null)[]>('/subscribers', {
    'filter.by': 'Email',
    'filter.idFields': '0',
    'filter.emailEncoding': 'None',
    'filter.values': emails.join(','),
  });
  const known = found.filter((one) => one !== null).length;
  if (known === 0)
    await site.post(
      '/subscribers',
      emails.map((value) => ({ fields: [{ idField: 1, value }] })),
    );
  const target = await site.post<{ id: number }>('/targets', { name: 'Demo: testers', isTestTarget: true });
  await site.put('/targets/filters/field', {
    idTarget: target.id,
    isEnabled: true,
    filters: [{ idField: 1, operator: 'In', value: emails.join(';') }],
  });
  return target.id;
}

/** How many of the file's subscribers the target is to hold. */
export function expectedCount(file: SubscriberFile, points: number): number {
  return [...file.subscribers.values()].filter((row) => row.status === 0 && row.points >= points).length;
}
