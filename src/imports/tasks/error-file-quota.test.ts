import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { errorsFolder } from '../leftovers.ts';
import { runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp({ config: { sftpQuotaBytes: 50_000 } }));
});
afterAll(() => t.close());

test('a folder without room for the error file: the rows are there, the log says what is not, at once', async () => {
  tester.put('x'.repeat(60_000), 'large.txt');
  tester.put('email;name\na@example.com;x\nbad;y\n');
  const { id } = await tester.make({ deleteFile: true });
  const done = await tester.run(id);
  expect(done).toMatchObject({
    importState: 'Completed',
    lastImportLog: {
      nbInserts: 1,
      nbErrorRows: 1,
      badFormattedRowNumbers: '3',
      errorMessage:
        'The file of rejected rows could not be written: ' +
        'The quota of 1 MB for the files of this site is used up',
    },
  });
  await tester.finish(done.lastImportLog!.id);
  expect(await tester.people()).toHaveLength(1);
  expect(existsSync(join(tester.folder, 'people.csv'))).toBe(true);
  expect(existsSync(join(errorsFolder(t.dataDir, t.db), `${id}-1.csv`))).toBe(false);
  expect(await tester.jobsOf(id)).toEqual({});
  const tasks = sql`select task_identifier as name from graphile_worker.jobs`;
  expect(await t.db.rows(tasks)).toEqual([{ name: 'finishImport' }]);
});

test('a repository whose host has come to lead to an internal network ends the import at once', async () => {
  await t.db.run(sql`
    insert into ${t.db.t.repository} (host, port, subfolder, login, host_key, is_default)
    values ('10.0.0.1', 22, '', 'us', 'ssh-ed25519 AAAA', true)`);
  const { id } = await tester.make({});
  const payload = { idSite: t.db.site.id, idImport: id, run: 1 };
  await runImport.run(t.app, payload, new AbortController().signal);
  expect((await t.call('GET', `/imports/${id}`)).data).toMatchObject({
    importState: 'PackageErrorCreation',
    lastImportLog: { errorMessage: expect.stringContaining('10.0.0.1') },
  });
});
