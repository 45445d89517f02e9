import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { pino } from 'pino';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from './platform/postgres/embedded.ts';
import { livePostmaster } from './platform/postgres/postmaster.ts';
import { FacteurProcess } from './testing/child-process.ts';
import { until } from './testing/until.ts';

/** Each program starts in about 3 s alone, and the machine of the tests may be busy. */
describe('facteur backup and restore', { timeout: 240_000 }, () => {
  let folder: string;
  const running: FacteurProcess[] = [];
  const dataDir = () => join(folder, 'data');
  const backup = () => join(folder, 'backup.tar.gz');
  let subscribersBefore: number;
  let adminToken: string;

  function run(args: readonly string[], inFolder: string): FacteurProcess {
    const ports = { FACTEUR_PORT: '0', FACTEUR_SFTP_PORT: '0', FACTEUR_SMTP_PORT: '0' };
    const one = new FacteurProcess(args, { ...ports, FACTEUR_DATA_DIR: inFolder });
    running.push(one);
    return one;
  }

  /** Ends with its exit code and what it printed. */
  const done = (args: readonly string[], inFolder: string) => run(args, inFolder).ended;

  async function call(url: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { success, data, error } = (await response.json()) as Record<string, unknown>;
    if (!success) throw new Error(String(error));
    return data;
  }

  const addSubscribers = (url: string, from: number, count: number) =>
    call(
      url,
      '/v1/demo/subscribers',
      Array.from({ length: count }, (_, i) => ({
        fields: [{ idField: 1, value: `reader${from + i}@example.com` }],
      })),
    );

  // One service, backed up while it writes.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'facteur-backup-'));
    const service = run(['serve'], dataDir());
    const { url, adminToken: token } = await service.started();
    adminToken = token!;
    await addSubscribers(url!, 0, 2000);
    await mkdir(join(dataDir(), 'sftp/1/folder'), { recursive: true });
    writeFileSync(join(dataDir(), 'sftp/1/folder/été.csv'), 'email\nada@example.com\n');
    subscribersBefore = 2000;
    const backingUp = run(['backup', backup()], dataDir());
    let isDone = false;
    const ended = backingUp.ended.finally(() => {
      isDone = true;
    });
    for (let from = 2000; !isDone; from += 20) await addSubscribers(url!, from, 20);
    expect(await ended).toMatchObject({ code: 0 });
    await service.end('SIGTERM');
  }, 240_000);

  afterAll(async () => {
    for (const one of running) await one.end('SIGKILL');
    for (const name of ['data', 'still', 'restored', 'killed']) {
      const left = livePostmaster(join(folder, name, 'postgres', 'data'));
      if (left) process.kill(left, 'SIGINT');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** Each table with its number of rows and a digest of them, read from the files of a data directory. */
  async function contentsOf(inFolder: string): Promise<Map<string, string>> {
    const server = await startPostgres({ dataDir: inFolder, log: pino({ level: 'silent' }) });
    const client = new pg.Client(server.connection);
    await client.connect();
    try {
      const tables = await client.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
      );
      const found = new Map<string, string>();
      for (const { name } of tables.rows) {
        const { rows } = await client.query<{ digest: string }>(
          `select count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\n' order by t::text)), '') as digest
           from ${name} t`,
        );
        found.set(name, rows[0]!.digest);
      }
      return found;
    } finally {
      await client.end();
      await server.stop();
    }
  }

  it('brings back what was committed before a backup of the running service, and holds sending', async () => {
    const restored = join(folder, 'restored');
    expect(await done(['restore', backup()], restored)).toMatchObject({ code: 0 });
    for (const name of ['secret', 'admin-token', 'sftp-host-key', 'sftp/1/folder/été.csv'])
      expect(readFileSync(join(restored, name), 'utf8')).toBe(readFileSync(join(dataDir(), name), 'utf8'));
    const service = run(['serve'], restored);
    const { url } = await service.started();
    expect(await (await fetch(`${url}/health/ready`)).json()).toMatchObject({ sending: 'held' });
    const path =
      '/v1/demo/subscribers?filter.by=Email&filter.values=reader1999@example.com&filter.idFields=1';
    expect(JSON.stringify(await call(url!, path))).toContain('reader1999@example.com');
    await service.end('SIGTERM');
    const contents = await contentsOf(restored);
    const [count] = contents.get('site_demo.subscriber')!.split(' ');
    expect(Number(count)).toBeGreaterThanOrEqual(subscribersBefore);
    expect(await done(['installation', 'adopt'], restored)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"sending":"free"'),
    });
  });

  it('brings back every row of every table of a service that is stalled', async () => {
    const still = join(folder, 'still.tar.gz');
    expect(await done(['backup', still], dataDir())).toMatchObject({ code: 0 });
    expect(await done(['restore', still], join(folder, 'still'))).toMatchObject({ code: 0 });
    const before = await contentsOf(dataDir());
    expect(before.size).toBeGreaterThan(40);
    expect(await contentsOf(join(folder, 'still'))).toEqual(before);
  });

  it('leaves no backup when it is killed, and the next one succeeds', async () => {
    const killed = join(folder, 'killed.tar.gz');
    const one = run(['backup', killed], dataDir());
    await until(() => existsSync(`${killed}.part`), 'the beginning of the backup');
    await one.end('SIGKILL');
    expect(existsSync(killed)).toBe(false);
    const refused = await done(['backup', killed], dataDir());
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${killed}.part already exists`),
    });
    rmSync(`${killed}.part`);
    expect(await done(['backup', killed], dataDir())).toMatchObject({ code: 0 });
  });

  it('starts nothing on a restore that was killed, and restores again', async () => {
    const killed = join(folder, 'killed');
    const one = run(['restore', backup()], killed);
    await until(() => existsSync(join(killed, 'restoring')), 'the beginning of the restore');
    await one.end('SIGKILL');
    // It may have been quicker than the signal.
    if (existsSync(join(killed, 'restoring'))) {
      const refused = await done(['site', 'list'], killed);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('incomplete restore') });
    } else rmSync(killed, { recursive: true });
    expect(await done(['restore', backup()], killed)).toMatchObject({ code: 0 });
    expect(await done(['site', 'list'], killed)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"name":"demo"'),
    });
  });

  it('refuses a file that exists, a folder that is not empty, and what is no whole backup', async () => {
    expect((await done(['backup', backup()], dataDir())).stderr).toContain('already exists');
    expect((await done(['restore', backup()], dataDir())).stderr).toContain('is not empty');
    const torn = join(folder, 'torn.tar.gz');
    writeFileSync(torn, readFileSync(backup()));
    truncateSync(torn, 3_000_000);
    const into = join(folder, 'torn');
    expect((await done(['restore', torn], into)).stderr).toContain('could not be restored: unexpected end');
    expect((await done(['site', 'list'], into)).stderr).toContain('incomplete restore');
    const hostile = join(folder, 'hostile.tar.gz');
    const archive = pack();
    archive.entry({ name: 'about.json' }, JSON.stringify({ format: 1, postgres: 18, arch: process.arch }));
    archive.entry({ name: 'data/../../outside' }, 'x');
    archive.finalize();
    await pipeline(archive, createGzip(), createWriteStream(hostile));
    const refused = await done(['restore', hostile], join(folder, 'hostile'));
    expect(refused.stderr).toContain("it holds 'data/../../outside', which no backup has");
    expect(existsSync(join(folder, 'outside'))).toBe(false);
    expect((await done(['restore', join(folder, 'none')], join(folder, 'none-in'))).stderr).toContain(
      'ENOENT',
    );
  });
});
