import { appendFileSync, existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openUploadsBeside } from '../../files/open-uploads.ts';
import { type SftpServer, startSftpServer } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { withWire } from '../../testing/sftp-wire.ts';
import { deleteImported } from './finish-import.ts';

let t: TestApp;
let tester: ImportTester;
let server: SftpServer;
beforeAll(async () => {
  ({ t, tester } = await importApp());
  server = await startSftpServer({
    port: 0,
    dataDir: t.dataDir,
    log: pino({ level: 'silent' }),
    authenticate: async () => t.db.site.id,
  });
});
afterAll(async () => {
  await server.close();
  await t.close();
});
beforeEach(() => tester.clear());

const head = 'email;name\n';
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `reader${from + i}@example.com;x\n`).join('');

/** Runs an import that is to be retried later, and gives its reason. */
async function troubleOf(id: number): Promise<string> {
  expect(await tester.run(id)).toMatchObject({ importState: 'InProgress' });
  const { trouble } = await t.db.one<{ trouble: string }>(
    sql`select trouble from ${t.db.t.import} where id = ${id}`,
  );
  return trouble;
}

const upload = (
  work: (sftp: SFTPWrapper, write: (at: number, text: string) => Promise<void>) => Promise<void>,
) =>
  withWire({ host: '127.0.0.1', port: server.port, username: 'demo', password: 'x' }, async (sftp) => {
    const open = promisify((done: (error: Error | undefined, handle?: Buffer) => void) =>
      sftp.open('people.csv', 'w', done as never),
    );
    const handle = (await open()) as Buffer;
    const write = async (at: number, text: string) => {
      const bytes = Buffer.from(text);
      await promisify(sftp.write).call(sftp, handle, bytes, 0, bytes.length, at);
    };
    await work(sftp, write);
    await promisify(sftp.close).call(sftp, handle);
  });

describe('a file that a client is uploading to the embedded server', () => {
  it('is not imported in part and not removed, and is imported whole when the upload has ended', async () => {
    const { id } = await tester.make({ deleteFile: true });
    const half = head + rows(0, 500);
    await upload(async (_, write) => {
      await write(0, half);
      expect(await troubleOf(id)).toBe(
        'The file people.csv is still being uploaded; try again when the upload has ended',
      );
      expect(await tester.people()).toEqual([]);
      expect(existsSync(join(tester.folder, 'people.csv'))).toBe(true);
      await write(half.length, rows(500, 1_000));
    });
    expect(await tester.run(id)).toMatchObject({
      importState: 'Completed',
      lastImportLog: { totalRows: 1_000, nbInserts: 1_000 },
    });
    expect(readdirSync(openUploadsBeside(tester.folder))).toEqual([]);
  });

  it('stays when it comes under the name of a file that was imported and is to be removed', async () => {
    tester.put(head + rows(0, 3));
    const { id } = await tester.make({ deleteFile: true });
    expect(await tester.run(id)).toMatchObject({ importState: 'Completed' });
    const { idLog } = await t.db.one<{ idLog: number }>(
      sql`select max(id) as "idLog" from ${t.db.t.import_log} where id_import = ${id}`,
    );
    await upload(async (_, write) => {
      await write(0, head);
      await tester.finish(idLog);
      expect(existsSync(join(tester.folder, 'people.csv'))).toBe(true);
      await write(head.length, rows(0, 7));
    });
    await deleteImported.run(
      t.app,
      { idSite: t.db.site.id, idImport: id, idLog },
      new AbortController().signal,
    );
    // It is another file than the one that was imported.
    expect(existsSync(join(tester.folder, 'people.csv'))).toBe(true);
  });

  it('is free again when the server that wrote it was killed', async () => {
    const { id } = await tester.make({});
    await upload(async (_, write) => {
      await write(0, head + rows(0, 2));
      const folder = openUploadsBeside(tester.folder);
      const [mark] = readdirSync(folder);
      const longAgo = new Date(Date.now() - 60_000);
      utimesSync(join(folder, mark!), longAgo, longAgo);
      expect(await tester.run(id)).toMatchObject({ importState: 'Completed' });
    });
  });
});

describe('a file of an external server that grows while it is read', () => {
  it('is read again later, and imported when two looks agree', async () => {
    const elsewhere = await SftpElsewhere.start();
    const path = '/admin/v1/sites/demo';
    const { data } = await t.call('POST', `${path}/repositories`, { body: elsewhere.access });
    const choose = (idRepository: number) =>
      t.call('PUT', `${path}/default-repository`, { body: { idRepository } });
    await choose((data as { id: number }).id);
    try {
      const file = join(elsewhere.folder, 'people.csv');
      writeFileSync(file, head + rows(0, 10));
      let n = 10;
      const growing = setInterval(() => appendFileSync(file, rows(n, ++n)), 20);
      const { id } = await tester.make({});
      const trouble = await troubleOf(id).finally(() => clearInterval(growing));
      expect(trouble).toBe('The file people.csv is being written; try again when it is whole');
      expect(await tester.people()).toEqual([]);
      expect(await tester.run(id)).toMatchObject({
        importState: 'Completed',
        lastImportLog: { totalRows: n },
      });
    } finally {
      await choose(0);
      await elsewhere.close();
    }
  });
});
