import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ImportTester } from '../../testing/import-tester.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { finishImport } from './finish-import.ts';

let t: TestApp;
let tester: ImportTester;
let sink: SmtpSink;
beforeAll(async () => {
  sink = await smtpSink({ keepRaw: true });
  t = await testApp({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}` } });
  await addCustomFields(t.db);
  tester = new ImportTester(t);
});
afterAll(async () => {
  await sink.close();
  await t.close();
});
afterEach(async () => {
  await tester.clear();
  sink.messages.length = 0;
});

const finish = (idImport: number) =>
  finishImport.run(t.app, { idSite: t.db.site.id, idImport }, new AbortController().signal);
const isThere = (name = 'people.csv') => existsSync(join(tester.folder, name));

test('the notice tells what happened, and deleteFile deletes the file but not the errors', async () => {
  const parameters = { deleteFile: true, emailNotification: 'ada@example.com' };
  const { id } = await tester.import('email;name\na@example.com;x\nbad;y\n', parameters);
  expect(isThere()).toBe(true);
  await finish(id);
  expect([isThere(), isThere('people.csv.errors.csv')]).toEqual([false, true]);
  const [notice] = sink.messages;
  expect(notice!.to).toBe('ada@example.com');
  const raw = notice!.raw!.toString();
  expect(raw).toMatch(/^Subject: Import of the file people\.csv \(demo\)/m);
  expect(raw).toContain('Subscribers added: 1');
  expect(raw).toContain('Rows refused: 1');
  // The job runs again after a crash: the file is gone already.
  await finish(id);
});

test.each<[string, string, object]>([
  ['safe mode changed nothing', 'email;name\na@example.com;x\nbad;y\n', { safeMode: true }],
  ['nobody asked', 'email;name\na@example.com;x\n', { deleteFile: false }],
])('the file stays when %s, and without an address no notice is sent', async (_why, content, given) => {
  const { id } = await tester.import(content, { deleteFile: true, ...given });
  await finish(id);
  expect(isThere()).toBe(true);
  expect(sink.messages).toEqual([]);
});

test('an import that could not run says so, and its file stays', async () => {
  tester.put('other;columns\n');
  const parameters = { deleteFile: true, emailNotification: 'ada@example.com' };
  const { id } = await tester.make(parameters);
  await tester.run(id);
  await finish(id);
  expect(isThere()).toBe(true);
  expect(sink.messages[0]!.raw!.toString()).toMatch(
    /^Subject: Error concerning the import of the file people/m,
  );
});

test('a relay that is away makes the job fail, to be tried again', async () => {
  const app = { ...t.app, config: { ...t.app.config, smtpUrl: 'smtp://127.0.0.1:9' } };
  const { id } = await tester.import('email;name\na@example.com;x\n', {
    emailNotification: 'ada@example.com',
  });
  const payload = { idSite: t.db.site.id, idImport: id };
  await expect(finishImport.run(app, payload, new AbortController().signal)).rejects.toThrow();
});
