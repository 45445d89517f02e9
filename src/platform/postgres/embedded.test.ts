import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { until } from '../../testing/until.ts';
import { startOfProcess } from '../process-lock.ts';
import { type RunningPostgres, startPostgres } from './embedded.ts';
import { livePostmaster } from './postmaster.ts';

const log = pino({ level: 'silent' });
let dataDir: string;
let started: RunningPostgres[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-pg-'));
  started = [];
});

afterEach(async () => {
  for (const one of started) await one.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(dir = dataDir): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir: dir, log, settings: { fsync: 'off' } });
  started.push(server);
  return server;
}

async function query(server: RunningPostgres, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.connection);
  // A server that is killed under the client reports it here; the tests kill on purpose.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const clusterOf = (server: RunningPostgres) => join(server.connection.host!, '..', 'data');
const pidOf = (server: RunningPostgres) => livePostmaster(clusterOf(server));

async function killed(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => startOfProcess(pid) === undefined, `the end of process ${pid}`);
}

describe('startPostgres', () => {
  test('makes a cluster in UTF-8 with checksums, and stops it', async () => {
    const server = await start();
    expect(server.adopted).toBe(false);
    const [row] = await query(
      server,
      `select current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding,
         (select datlocale from pg_database where datname = current_database()) as locale,
         upper('é') as upper, current_setting('listen_addresses') as addresses`,
    );
    expect(row).toEqual({ checksums: 'on', encoding: 'UTF8', locale: 'C.UTF-8', upper: 'É', addresses: '' });
    const pid = pidOf(server)!;
    await server.stop();
    expect(startOfProcess(pid)).toBeUndefined();
  });

  test('keeps committed rows over a kill -9 of the server', async () => {
    const first = await start();
    await query(first, 'create table kept as select generate_series(1, 1000) as n');
    await killed(pidOf(first)!);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await query(second, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
  });

  test('restarts the server automatically if requested', async () => {
    const server = await start();
    await query(server, 'create table kept as select 1 as n');
    server.keepRunning();
    const pid = pidOf(server)!;
    await killed(pid);
    await vi.waitFor(
      async () => expect(await query(server, 'select n from kept')).toEqual([{ n: 1 }]),
      60_000,
    );
    expect(pidOf(server)).not.toBe(pid);
  });

  test('begins its log again before it fills the disk, and keeps the one before', async () => {
    const server = await start();
    const said = join(server.connection.host!, '..', 'server.log');
    appendFileSync(said, `${'x'.repeat(10_000_000)}\n`);
    const length = statSync(said).size;
    server.keepRunning();
    await until(() => statSync(said).size < length, 'the end of the long log');
    expect(statSync(`${said}.old`).size).toBe(length);
    await expect(query(server, 'select no_such_column')).rejects.toThrow('no_such_column');
    await until(() => readFileSync(said, 'utf8').includes('no_such_column'), 'what the server says');
    expect(statSync(said).size).toBeLessThan(10_000);
  });

  test('adopts a server that runs, and only the last user stops it', async () => {
    const first = await start();
    const second = await start();
    expect(second.adopted).toBe(true);
    const pid = pidOf(first)!;
    await first.stop();
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
    expect(startOfProcess(pid)).toBeUndefined();
  });

  test('a user that was killed keeps no server alive', async () => {
    const server = await start();
    const pid = pidOf(server)!;
    writeFileSync(join(server.connection.host!, '..', 'users', '4194303-1-dead'), '');
    await server.stop();
    expect(startOfProcess(pid)).toBeUndefined();
  });

  test('starts once for many calls at the same time', async () => {
    const servers = await Promise.all([start(), start(), start()]);
    expect(servers.filter((one) => !one.adopted)).toHaveLength(1);
    expect(new Set(servers.map(pidOf)).size).toBe(1);
  });

  test('a number in postmaster.pid that is another program now does not stop the start', async () => {
    const first = await start();
    const file = join(clusterOf(first), 'postmaster.pid');
    const lines = readFileSync(file, 'utf8').split('\n');
    await first.stop();
    writeFileSync(file, [String(process.pid), ...lines.slice(1)].join('\n'));
    chmodSync(file, 0o644);
    const second = await start();
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('an empty postmaster.pid, of a server that died when it made it, does not stop the start', async () => {
    const first = await start();
    const file = join(clusterOf(first), 'postmaster.pid');
    await first.stop();
    writeFileSync(file, '', { mode: 0o600 });
    const { uid, gid } = statSync(clusterOf(first));
    chownSync(file, uid, gid);
    const second = await start();
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('serves a data directory whose path is too long for a socket', async () => {
    chmodSync(dataDir, 0o711);
    const server = await start(join(dataDir, 'd'.repeat(100)));
    expect(server.connection.host!.length).toBeLessThan(60);
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    rmSync(server.connection.host!, { recursive: true, force: true });
  });

  // On CI without root it runs and fails: what is skipped there would never be shown.
  test.runIf(process.getuid?.() === 0 || process.env.CI === 'true')(
    'keeps the database apart where its account cannot reach it',
    async () => {
      const closed = join(dataDir, 'closed');
      mkdirSync(closed, { mode: 0o700 });
      const server = await start(join(closed, 'data'));
      const home = readFileSync(join(closed, 'data', 'postgres.path'), 'utf8').trim();
      expect(home).toMatch(/^\/var\/lib\/facteur\//);
      expect(server.connection.host).toBe(join(home, 'run'));
      await query(server, 'create table kept as select 1 as n');
      await server.stop();
      expect(await query(await start(join(closed, 'data')), 'select n from kept')).toEqual([{ n: 1 }]);
      for (const one of started) await one.stop();
      rmSync(home, { recursive: true });
    },
  );

  test('names the version when the data were written by another PostgreSQL', async () => {
    const first = await start();
    await first.stop();
    writeFileSync(join(clusterOf(first), 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toThrow('were written by PostgreSQL 9, which is not installed here');
  });
});
