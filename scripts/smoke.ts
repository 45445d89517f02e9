/**
 * Starts the built program and runs the demo against it, whose figures must all agree. For what the tests do not run
 * on: other versions of Node and of PostgreSQL.
 *
 * Usage: tsx scripts/smoke.ts [--node <node>] [--program <main.js>] [--postgres <folder of initdb and postgres>]
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const rows = '1000';
const { values } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    program: { type: 'string', default: join(import.meta.dirname, '../dist/main.js') },
    postgres: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'facteur-smoke-'));
chmodSync(folder, 0o711);
const closers: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
  const database = values.postgres ? await startServer(values.postgres) : {};
  const environment = {
    PATH: process.env.PATH,
    FACTEUR_DATA_DIR: join(folder, 'data'),
    FACTEUR_IMPORT_DELAY_S: '1',
    FACTEUR_SEND_DELAY_S: '1',
    FACTEUR_REQUESTS_PER_MINUTE: '1000000',
    FACTEUR_LOG_LEVEL: 'warn',
    ...database,
  };
  const ports = { FACTEUR_PORT: '0', FACTEUR_SFTP_PORT: '0', FACTEUR_SMTP_PORT: '0' };
  const started = await startService({ ...environment, ...ports });
  const taken = {
    FACTEUR_PORT: String(started.port),
    FACTEUR_SFTP_PORT: String(started.sftpPort),
    FACTEUR_SMTP_PORT: String(started.smtpPort),
  };
  execFileSync(values.node, [values.program, 'demo', rows], {
    stdio: 'inherit',
    env: { ...environment, ...taken },
  });
  console.log(`smoke: Facteur works on Node ${started.node} and PostgreSQL ${started.postgres}`);
} finally {
  for (const close of closers.reverse()) await close();
}

interface Started {
  readonly port: number;
  readonly sftpPort: number;
  readonly smtpPort: number;
  readonly node: string;
  readonly postgres: string;
}

async function startService(environment: Record<string, string | undefined>): Promise<Started> {
  const child = spawn(values.node, [values.program, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  });
  closers.push(() => ended(child, 'SIGTERM'));
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])])) as [
    string,
  ];
  if (line === '') throw new Error('The service did not start');
  return JSON.parse(line) as Started;
}

/** Starts a PostgreSQL on a new cluster; what names it to the program. */
async function startServer(bin: string): Promise<Record<string, string>> {
  const data = join(folder, 'cluster');
  const owner = process.getuid?.() === 0 ? nobody() : undefined;
  mkdirSync(data, { mode: 0o700 });
  if (owner) chownSync(data, owner.uid, owner.gid);
  const options = { cwd: '/', ...owner };
  const initdb = ['-D', data, '-U', 'facteur', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  execFileSync(join(bin, 'initdb'), initdb, { stdio: 'ignore', ...options });
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-k', data, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    { stdio: ['ignore', 'ignore', 'pipe'], ...options },
  );
  closers.push(() => ended(server, 'SIGINT'));
  for await (const line of createInterface({ input: server.stderr })) {
    if (line.includes('ready to accept connections'))
      return { DATABASE_URL: `postgresql:///postgres?host=${data}&user=facteur` };
  }
  throw new Error(`PostgreSQL of ${bin} did not start`);
}

/** PostgreSQL does not run as root. */
function nobody(): { uid: number; gid: number } {
  const passwd = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = passwd.find((line) => line.startsWith('nobody:'))!.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function ended(child: ReturnType<typeof spawn>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = once(child, 'exit');
  child.kill(signal);
  await end;
}
