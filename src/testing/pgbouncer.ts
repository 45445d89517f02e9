import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** Debian's PgBouncer on a free port of loopback, before the PostgreSQL of the tests. */
export class PgBouncer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'facteur-pgbouncer-'));
  #child: ChildProcess | undefined;
  #port = 0;

  /** @param poolMode `session` or `transaction`. */
  static async start(server: pg.ClientConfig, poolMode: string): Promise<PgBouncer> {
    const one = new PgBouncer();
    await one.#run(server, poolMode);
    return one;
  }

  /** A DATABASE_URL that leads to a database through it, as a user whom no schema is named after. */
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
