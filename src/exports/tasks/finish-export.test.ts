import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { updateUser } from '../../accounts/user-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { exportsOperations } from '../operations.ts';
import { finishExport } from './finish-export.ts';

let t: TestApp;
let tester: ExportTester;
let sink: SmtpSink;
beforeAll(async () => {
  sink = await smtpSink({ keepRaw: true });
  t = await testApp({
    operations: exportsOperations,
    config: { smtpUrl: `smtp://127.0.0.1:${sink.port}` },
  });
  await addCustomFields(t.db);
  tester = new ExportTester(t);
});
afterAll(() => Promise.all([t.close(), sink.close()]));
afterEach(async () => {
  sink.messages.length = 0;
  await tester.clear();
});

const finish = (idExport: number) =>
  finishExport.run(t.app, { idSite: t.db.site.id, idExport }, new AbortController().signal);
/** The one message that was sent, its lines as they were before their transport. */
function message(): string {
  expect(sink.messages).toHaveLength(1);
  return sink.messages[0]!.raw!.toString().replaceAll('=\r\n', '');
}

test('a written export is reported to its creator', async () => {
  await tester.add('ada@example.com', { fld101: 'Ł' });
  const options = {
    idsFields: ['1', '101'],
    exportSubFolder: 'out',
    codePage: 1252,
    compress: 'Zip',
  } as const;
  const { done } = await tester.export({ ...options, idsFields: ['1', '101'] });
  await finish(done.id);
  expect(sink.messages[0]!.to).toBe('ada@facteur.test');
  expect(message()).toMatch(/^Subject: Export of the file\.\.\. out\/people\.csv\.zip \(demo\)\r$/m);
  expect(message()).toContain("the file out/people.csv.zip is in the site's SFTP account");
  expect(message()).toContain('Subscribers: 1');
  expect(message()).toContain('code page 1252 does not have, written as ?: 1');
});

test('a failed export is reported with its reason, and without the account', async () => {
  const account = { host: 'sftp.example', login: 'our-login', password: 'open sesame' };
  const idRepository = await makeRepository(t.db, t.app.secrets, account);
  const id = await tester.create({ idRepository });
  await t.db.run(sql`
    update ${t.db.t.export_job} set state = 'FAILED', ended_at = now(), message = 'The SFTP server is away'`);
  await finish(id);
  expect(message()).toMatch(/^Subject: Error concerning the export\.\.\. people\.csv \(demo\)\r$/m);
  expect(message()).toContain('The SFTP server is away');
  expect(message()).not.toMatch(/open sesame|our-login/);
});

test('a name with line ends in disguise adds no header', async () => {
  const { done } = await tester.export({ filename: 'é =_utf-8_Q_=0D=0ABcc=3Aeve_.csv' });
  await finish(done.id);
  expect(message()).not.toMatch(/^Bcc:/m);
});

test('sends no notice before the end, without an export, or to a creator who is deleted or disabled', async () => {
  const id = await tester.create();
  await finish(id);
  await finish(999_999);
  await tester.run(id);
  await updateUser(t.app.control, 1, { isDisabled: true });
  await finish(id);
  await updateUser(t.app.control, 1, { isDisabled: false });
  await t.db.run(sql`update ${t.db.t.export_job} set id_user = 999`);
  await finish(id);
  expect(sink.messages).toEqual([]);
});

test('a relay that is unavailable makes the job fail, to be retried', async () => {
  const { done } = await tester.export();
  const away = { ...t.app, config: { ...t.app.config, smtpUrl: 'smtp://127.0.0.1:1' } };
  const payload = { idSite: t.db.site.id, idExport: done.id };
  await expect(finishExport.run(away, payload, new AbortController().signal)).rejects.toThrow();
});
