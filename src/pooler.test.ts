import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestApp, testApp } from './testing/app.ts';
import { FacteurProcess } from './testing/child-process.ts';
import { describeWith } from './testing/daemon.ts';
import { serverConnection } from './testing/database.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/until.ts';

/** Debian's PgBouncer on a free port of loopback, before the PostgreSQL of the tests. */
class PgBouncer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'facteur-pgbouncer-'));
  #child: ChildProcess | undefined;
  #port = 0;

  /** @param poolMode `session` or `transaction`. */
  static async start(server: pg.ClientConfig, poolMode: string): Promise<PgBouncer> {
    const one = new PgBouncer();
    await one.#run(server, poolMode);
    return one;
  }

  /** A DATABASE_URL that leads to a database through it, as a user after whom no schema is named. */
  urlOf(database: string): string {
    return `postgres://anybody@127.0.0.1:${this.#port}/${database}`;
  }

  async #run({ host, port, user }: pg.ClientConfig, poolMode: string): Promise<void> {
    this.#port = await freePort();
    const config = join(this.#folder, 'pgbouncer.ini');
    const lines = [
      '[databases]',
      `* = host=${host} port=${port} user=${user}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${this.#port}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${poolMode}`,
      'max_client_conn = 200',
      'default_pool_size = 60',
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    chmodSync(this.#folder, 0o755);
    // It refuses to run as root, and only the server's own user may enter the folder of its socket.
    const { uid, gid } = statSync(host!);
    const owner = process.getuid?.() === 0 ? { uid, gid } : {};
    const child = spawn('pgbouncer', [config], { stdio: ['ignore', 'ignore', 'pipe'], ...owner });
    this.#child = child;
    let said = '';
    child.stderr!.on('data', (text: Buffer) => {
      said += text;
    });
    child.once('error', (error) => {
      said += error.message;
    });
    await until(() => {
      if (child.exitCode !== null || child.pid === undefined) throw new Error(`pgbouncer ended: ${said}`);
      return said.includes('process up');
    }, 'the start of pgbouncer');
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describeWith('pgbouncer', 'behind PgBouncer', () => {
  let t: TestApp;
  let pooler: PgBouncer | undefined;
  beforeEach(async () => {
    t = await testApp();
  });
  afterEach(async () => {
    await pooler?.close();
    await t.close();
  });

  /** A command of the program over the pooler. */
  async function run(poolMode: string, args: readonly string[]) {
    pooler = await PgBouncer.start(serverConnection(), poolMode);
    const DATABASE_URL = pooler.urlOf(t.connection.database!);
    const environment = { DATABASE_URL, FACTEUR_DATA_DIR: t.dataDir, FACTEUR_SECRET: 's'.repeat(32) };
    return new FacteurProcess(args, environment).ended;
  }

  it('works in session mode, for a user of any name', async () => {
    const ended = await run('session', ['site', 'list']);
    expect(ended).toMatchObject({ stderr: '', code: 0 });
    expect(ended.stdout).toContain('"name":"demo"');
  });

  it('refuses transaction mode at the start, with the reason', async () => {
    const ended = await run('transaction', ['site', 'list']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('pool_mode to session');
  });
});
