import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSftpAccount, sftpAccountOf } from '../../accounts/sftp-account-store.ts';
import { deleteRepository } from '../../files/repository-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import type { ExportJob } from '../export.ts';
import { exportsOperations } from '../operations.ts';

describe('getExport', () => {
  let t: TestApp;
  let tester: ExportTester;
  beforeAll(async () => {
    t = await testApp({ operations: exportsOperations });
    tester = new ExportTester(t);
    await createSftpAccount(t.app.control, t.app.secrets, t.db.site);
  });
  afterAll(() => t.close());

  it('200 gives every member, with the defaults of what was omitted', async () => {
    const idExport = await tester.create({ filename: null, codePage: null });
    const { status, data, typeName } = await t.call('GET', `/exports/${idExport}`, { as: 'reader' });
    const job: ExportJob = data;
    expect({ status, typeName }).toEqual({ status: 200, typeName: 'ExportJob' });
    const name = `export_demo_${idExport}_20261120110000.csv`;
    expect(job).toEqual({
      idExportJob: idExport,
      creationDate: '2026-11-20T10:00:00.000Z',
      idCreationUser: 1,
      lastModificationDate: '2026-11-20T10:00:00.000Z',
      idLastModificationUser: 1,
      lastExecutionDate: null,
      idExportJobState: 1,
      idExportType: 1,
      isEnabled: true,
      name,
      description: '',
      islockedByAdmin: false,
      adminComments: '',
      fileName: name,
      exportSubFolder: '',
      idExportJobFtp: 0,
      nbLineToExport: 0,
      isRandomized: false,
      idCompressionMode: 0,
      columnSeparator: ';',
      escapedTextDelimiter: '""',
      textDelimiter: '"',
      isHeaderIncludedInFirstRow: true,
      idNewLineCharacter: 1,
      codePage: 1252,
      errorEmailAddresses: 'ada@facteur.test',
      reportEmailAdresses: 'ada@facteur.test',
      scheduleFilePattern: null,
      scheduleFileRetentionInNbDays: null,
      scheduleEnabled: 0,
      scheduleFreqType: null,
      scheduleFreqInterval: null,
      scheduleFreqSubdayType: null,
      scheduleFreqSubdayInterval: null,
      scheduleFreqRelativeInterval: null,
      scheduleFreqRecurrenceFactor: null,
      scheduleActiveStartDate: null,
      scheduleActiveEndDate: null,
      scheduleActiveStartTime: null,
      scheduleActiveEndTime: null,
      idPrimaryKey: { idExportJob: idExport },
      exportJobFtp: {
        idExportJobFtp: 0,
        host: 'mail.test',
        subfolder: '',
        port: t.app.config.sftpPort,
        login: 'demo',
        password: '********',
        idPrimaryKey: { idExportJobFtp: 0 },
        exportJobs: { [idExport]: name },
      },
      exportJobDtsxes: {},
      exportJobSubscribers: {
        [idExport]: {
          idTarget: await tester.everybody(),
          idsFields: ['1'],
          idsEncodeFields: [],
          typeList: 'ID',
          encoding: 'None',
          escapeFormulas: false,
        },
      },
      exportJobTsqls: {},
    });
    await tester.clear();
  });

  it('200 shows what was requested, how it ended, and the account’s password to an admin token only', async () => {
    const account = { host: 'sftp.example', port: 2022, login: 'us', password: 'open sesame' };
    const idRepository = await makeRepository(t.db, t.app.secrets, { ...account, subfolder: '/in' });
    // On another account, and running.
    await tester.create();
    const idExport = await tester.create({
      idRepository,
      filename: 'a.csv',
      exportSubFolder: 'out/x',
      compress: 'Zip',
      quantity: 7,
      columnSeparator: '\\t',
      idNewLineCharacter: 2,
      idsEncodeFields: ['fld1', '0'],
      encoding: 'SHA1',
      typeList: 'VALUE',
      escapeFormulas: true,
    });
    await t.db.run(sql`
      update ${t.db.t.export_job} set state = 'FAILED', started_at = ${t.clock.now()}, message = 'it is away'
      where id = ${idExport}`);
    for (const as of ['reader', 'editor', 'sender', 'admin'] as const) {
      const { data } = await t.call('GET', `/exports/${idExport}`, { as });
      expect(data).toMatchObject({
        idExportJobState: 4,
        description: 'it is away',
        lastExecutionDate: '2026-11-20T10:00:00.000Z',
        fileName: 'a.csv.zip',
        exportSubFolder: 'out/x',
        idExportJobFtp: idRepository,
        nbLineToExport: 7,
        idCompressionMode: 2,
        columnSeparator: '\t',
        idNewLineCharacter: 2,
        codePage: 65001,
        exportJobFtp: {
          idExportJobFtp: idRepository,
          host: 'sftp.example',
          subfolder: '/in',
          port: 2022,
          login: 'us',
          password: as === 'admin' ? 'open sesame' : '********',
        },
        exportJobSubscribers: {
          [idExport]: {
            idsEncodeFields: ['1', '0'],
            typeList: 'VALUE',
            encoding: 'SHA1',
            escapeFormulas: true,
          },
        },
      });
      expect((data as ExportJob).exportJobFtp!.exportJobs).toEqual({});
    }
    await deleteRepository(t.db, idRepository, t.clock.now());
    const { data } = await t.call('GET', `/exports/${idExport}`, { as: 'admin' });
    const named = { host: 'sftp.example', subfolder: '/in', port: 2022, login: 'us', password: '' };
    expect(data).toMatchObject({ idExportJobFtp: idRepository, exportJobFtp: named });
    await tester.clear();
  });

  it('200 gives an admin token the password of the default account as well', async () => {
    const { data } = await t.call('GET', `/exports/${await tester.create()}`, { as: 'admin' });
    const { password } = (await sftpAccountOf(t.app.control, t.app.secrets, t.db.site.id))!;
    expect(data).toMatchObject({ exportJobFtp: { password } });
    await tester.clear();
  });

  it('200 and null for an unknown one', async () => {
    const { status, data, success } = await t.call('GET', '/exports/999999');
    expect({ status, data, success }).toEqual({ status: 200, data: null, success: true });
  });

  it('400 for an invalid id', async () => {
    expect((await t.call('GET', '/exports/x')).status).toBe(400);
  });
});
