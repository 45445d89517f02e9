import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { until } from '../../testing/until.ts';
import { exportsOperations } from '../operations.ts';

/** A line to a server on loopback, as narrow as a test wants it. */
interface SlowRelay {
  readonly port: number;
  /** Milliseconds after each piece (64 kB at most) that goes to the server; 0, as at the beginning, for none. */
  pauseMs: number;
  close(): Promise<void>;
}

/** Stands before a server; what the server says comes back at once. */
async function slowRelay(target: number): Promise<SlowRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect({ port: target, host: '127.0.0.1' });
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        (socket === inside ? outside : inside).destroy();
      });
    }
    outside.pipe(inside);
    inside.on('data', (piece) => {
      outside.write(piece);
      if (relay.pauseMs === 0) return;
      inside.pause();
      setTimeout(() => inside.resume(), relay.pauseMs).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: SlowRelay = {
    port: (server.address() as AddressInfo).port,
    pauseMs: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return relay;
}

let t: TestApp;
let tester: ExportTester;
let sftp: SftpElsewhere;
let relay: SlowRelay;
let idRepository: number;
beforeAll(async () => {
  [t, sftp] = await Promise.all([
    testApp({ operations: exportsOperations, config: { exportLimitS: 3 } }),
    SftpElsewhere.start(),
  ]);
  relay = await slowRelay(sftp.port);
  tester = new ExportTester(t);
  const access = { ...sftp.access, port: relay.port, hostKey: sftp.hostKey };
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
