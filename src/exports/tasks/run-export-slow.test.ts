import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { type TcpProxy, tcpProxy } from '../../testing/tcp-proxy.ts';
import { until } from '../../testing/until.ts';
import { exportsOperations } from '../operations.ts';

let t: TestApp;
let tester: ExportTester;
let sftp: SftpElsewhere;
let relay: TcpProxy;
let idRepository: number;
beforeAll(async () => {
  [t, sftp] = await Promise.all([
    testApp({ operations: exportsOperations, config: { exportLimitS: 3 } }),
    SftpElsewhere.start(),
  ]);
  relay = await tcpProxy({ host: '127.0.0.1', port: sftp.port });
  tester = new ExportTester(t);
  const access = { ...sftp.access, port: relay.connection.port, hostKey: sftp.hostKey };
  idRepository = await makeRepository(t.db, t.app.secrets, access);
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld5, fld6, fld21, fld22)
    select i || '@example.com', repeat('a', 255), repeat('b', 255), repeat('c', 255), repeat('d', 255)
    from generate_series(1, 20000) i`);
});
afterAll(async () => {
  await relay.close();
  await Promise.all([t.close(), sftp.close()]);
});

test('a server that keeps accepting little ends as a failed attempt, and holds nothing', async () => {
  const id = await tester.create({ idRepository, idsFields: ['1', '5', '6', '21', '22'] });
  // 21 MB in pieces of 64 kB: 160 s, and every request is answered long before our patience ends.
  relay.pauseMs = 500;
  const failed = await tester.run(id);
  expect(failed).toMatchObject({
    state: 'SCHEDULED',
    nbLines: null,
    message: 'The file could not be written: it was not whole after 3 s, the longest that a try may take',
  });
  expect(readdirSync(sftp.folder)).not.toContain('people.csv');
  const [job] = await tester.jobs('runExport').then((jobs) => jobs.slice(-1));
  expect(job!.runAt.getTime() - t.clock.now().getTime()).toBe(10_000);
  // Neither the lock of the run nor a connection with its snapshot is left.
  const busy = sql`
    select query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and (state <> 'idle' or backend_xmin is not null)
      and backend_type = 'client backend'`;
  await until(async () => (await t.db.rows(busy)).length === 0, 'nothing of the try to be at work');
  relay.pauseMs = 0;
  // All of it takes a busy machine more than the 3 s, too.
  const unhurried = { ...t.app, config: { ...t.app.config, exportLimitS: 3_600 } };
  expect(await tester.run(id, unhurried)).toMatchObject({ state: 'COMPLETED', runs: 2, nbLines: 20_000 });
  expect(readdirSync(sftp.folder)).toEqual(['people.csv']);
  expect(readFileSync(join(sftp.folder, 'people.csv'), 'utf8').split('\r\n')).toHaveLength(20_002);
});
