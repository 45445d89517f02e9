import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { deleteImported, finishImport } from './finish-import.ts';

let t: TestApp;
let tester: ImportTester;
let sink: SmtpSink;
beforeAll(async () => {
  sink = await smtpSink({ keepRaw: true });
  ({ t, tester } = await importApp({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}` } }));
});
afterAll(async () => {
  await sink.close();
  await t.close();
});
afterEach(async () => {
  await tester.clear();
  sink.messages.length = 0;
});

const isThere = (name = 'people.csv') => existsSync(join(tester.folder, name));

test('the notice shows what happened, and deleteFile deletes the file but not the errors', async () => {
  const parameters = { deleteFile: true, emailNotification: 'ada@example.com' };
  const { id } = await tester.import('email;name\na@example.com;x\nbad;y\n', parameters);
  expect(isThere()).toBe(true);
  await tester.finish(id);
  expect([isThere(), isThere('people.csv.errors.csv')]).toEqual([false, true]);
  const [notice] = sink.messages;
  expect(notice!.to).toBe('ada@example.com');
  const raw = notice!.raw!.toString();
  expect(raw).toMatch(/^Subject: Import of the file people\.csv \(demo\)/m);
  expect(raw).toContain('Subscribers added: 1');
  expect(raw).toContain('Rows refused: 1');
  // The job runs again after a crash: it has deleted the file before.
  await tester.finish(id);
});

test.each<[string, string, object]>([
  ['safe mode changed nothing', 'email;name\na@example.com;x\nbad;y\n', { safeMode: true }],
  ['nobody asked', 'email;name\na@example.com;x\n', { deleteFile: false }],
])('the file stays when %s, and without an address no notice is sent', async (_why, content, given) => {
  const { id } = await tester.import(content, { deleteFile: true, ...given });
  await tester.finish(id);
  expect(isThere()).toBe(true);
  expect(sink.messages).toEqual([]);
});

test('an import that could not run says so, and its file stays', async () => {
  tester.put('other;columns\n');
  const parameters = { deleteFile: true, emailNotification: 'ada@example.com' };
  const { id } = (await tester.run((await tester.make(parameters)).id)).lastImportLog!;
  await tester.finish(id);
  expect(isThere()).toBe(true);
  expect(sink.messages[0]!.raw!.toString()).toMatch(
    /^Subject: Error concerning the import of the file people/m,
  );
});

test('a file that cannot be deleted keeps nobody from the notice, and is deleted later', async () => {
  const parameters = { deleteFile: true, emailNotification: 'ada@example.com' };
  const { id } = await tester.import('email;name\na@example.com;x\n', parameters);
  // The same bytes and time under the name of a folder: unlink refuses it, even for root.
  const held = `${tester.folder}.away`;
  renameSync(tester.folder, held);
  writeFileSync(tester.folder, '');
  await tester.finish(id);
  rmSync(tester.folder);
  renameSync(held, tester.folder);
  expect(sink.messages[0]!.raw!.toString()).toContain('The file could not be deleted; it will be retried');
  expect(isThere()).toBe(true);
  const [job] = await t.db.rows<{ payload: { idSite: number; idImport: number; idLog: number } }>(sql`
    select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'deleteImported'`);
  await deleteImported.run(t.app, job!.payload, new AbortController().signal);
  expect(isThere()).toBe(false);
});

test('a relay that is unavailable makes the job fail, to be retried', async () => {
  const app = { ...t.app, config: { ...t.app.config, smtpUrl: 'smtp://127.0.0.1:9' } };
  const { id } = await tester.import('email;name\na@example.com;x\n', {
    emailNotification: 'ada@example.com',
  });
  const payload = { idSite: t.db.site.id, idImport: id };
  await expect(finishImport.run(app, payload, new AbortController().signal)).rejects.toThrow();
});

test.each([
  ['an encoded word that hides a header', '=?utf-8?Q?x=0D=0ABcc:_eve@evil.example?=.csv'],
  ['something like a header', 'x Bcc: eve@evil.example, <eve@evil.example>.csv'],
  ['quotes and tags', '"><script>alert(1)</script>.csv'],
  ['letters beyond ASCII, and very long', `${'é'.repeat(100)}.csv`],
])('a file name with %s adds no header and no recipient to the notice', async (_what, filename) => {
  sink.commands.length = 0;
  const log = await tester.import('email;name\na@example.com;x\n', {
    filename: filename.replaceAll('/', ''),
    emailNotification: 'ada@example.com; bob@example.com',
  });
  await tester.finish(log.id);
  expect(sink.commands.filter((command) => command.startsWith('RCPT'))).toEqual([
    expect.stringContaining('<ada@example.com>'),
    expect.stringContaining('<bob@example.com>'),
  ]);
  const raw = sink.messages[0]!.raw!.toString();
  const headers = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]/g, ' ');
  const names = headers.split('\r\n').map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
  expect(names.sort()).toEqual([
    'auto-submitted',
    'content-transfer-encoding',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
  ]);
  // It comes as one encoded word or as itself, never as a word that a reader would decode to line ends.
  expect(headers).not.toMatch(/=\?utf-8\?Q\?x=0D=0A/i);
});

test('the notice of a run has the same id each time it is sent, and that of another run another', async () => {
  const parameters = { emailNotification: 'ada@example.com' };
  const [first, second] = [
    await tester.import('email;name\na@example.com;x\n', parameters),
    await tester.import('email;name\na@example.com;y\n', parameters),
  ];
  for (const { id } of [first, first, second]) await tester.finish(id);
  const ids = sink.messages.map(({ messageId }) => messageId);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});
