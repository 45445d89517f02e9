import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { totalmem } from 'node:os';
import { basename, join, resolve } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { readKept, writeKept } from '../data-dir.ts';
import { startOfProcess, withProcessLock } from '../process-lock.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { Keeper } from './keeper.ts';
import {
  type Cluster,
  livePostmaster,
  startPostmaster,
  stopPostmaster,
  waitUntilReady,
} from './postmaster.ts';
import { canReach, type ServerAccount, serverAccount } from './server-account.ts';

/** A PostgreSQL server that this process uses. */
export interface RunningPostgres {
  /** How to reach its database: a Unix socket only, no password. */
  readonly connection: pg.PoolConfig;
  /** Folder of the database's files. */
  readonly files: string;
  /** Restarts the server whenever it ends unexpectedly (killed, out of memory), until `stop`. */
  keepRunning(): void;
  /** Ids of the other processes that use the server now: services, and commands while they run. */
  others(): readonly number[];
  /** Ends our use of the server; it stops when no other process of Facteur uses it. */
  stop(): Promise<void>;
  /** Whether it was running before: left by a killed process, or started by one beside us. */
  readonly adopted: boolean;
}

export interface PostgresOptions {
  /** Facteur's data directory; the server's things go below `postgres` there. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Settings of the server beside ours. Tests turn `fsync` off, which also spares the first start its syncing. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Longest address of a Unix socket that Linux takes, less the closing NUL (sun_path, unix(7)). */
const longestSocketPath = 107;
const socketName = '.s.PGSQL.5432';
/** Name of the file in the data directory that says where the database is, when it is not in there. */
export const pointerFile = 'postgres.path';
const database = 'facteur';

/**
 * Starts our own PostgreSQL on a data directory, or joins the one that runs on it. Safe to call from several
 * processes at once and after a kill of any of them, the server included.
 * @throws Error in one sentence when there is no fitting server or it does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { dataDir, account } = placeOf(options.dataDir);
  return withProcessLock(dataDir, async () => {
    const home = openHome(dataDir, account, options.log);
    const cluster: Cluster = {
      data: join(home, 'data'),
      run: openRun(home, account),
      log: join(home, 'server.log'),
    };
    const running = livePostmaster(cluster.data);
    if (running) {
      await waitUntilReady(cluster.data, running);
    } else {
      await start(home, cluster, account, options);
    }
    const leave = enter(home);
    const connection: pg.PoolConfig = { host: cluster.run, port: 5432, user: 'facteur', database };
    await makeDatabase(connection);
    let isStopped = false;
    const keeper = new Keeper(dataDir, cluster, options.log, () => start(home, cluster, account, options));
    return {
      connection,
      files: cluster.data,
      adopted: running !== undefined,
      keepRunning: () => keeper.begin(),
      others: () => usersOf(home).filter((pid) => pid !== process.pid),
      stop: async () => {
        if (isStopped) return;
        isStopped = true;
        await keeper.end();
        await withProcessLock(dataDir, async () => {
          if (leave()) return;
          const pid = livePostmaster(cluster.data);
          if (pid) await stopPostmaster(cluster.data, pid);
        });
      },
    };
  });
}

function placeOf(folder: string): { dataDir: string; account: ServerAccount | undefined } {
  fs.mkdirSync(folder, { recursive: true });
  const dataDir = fs.realpathSync(resolve(folder));
  return { dataDir, account: serverAccount(join(dataDir, 'postgres', 'data')) };
}

/** Where the files of a database go that another server wrote. */
export interface DatabasePlace {
  /** Folder that the server reads once it exists; the caller fills another one and renames it. */
  readonly files: string;
  /** The user who must own the files; undefined for ourselves. */
  readonly account: ServerAccount | undefined;
}

/** Makes the place for a database that is restored. @throws Error for a missing `major` version of PostgreSQL */
export function makeDatabasePlace(folder: string, major: number, log: Logger): DatabasePlace {
  const { dataDir, account } = placeOf(folder);
  const home = openHome(dataDir, account, log);
  findBinaries(account, home, major, log);
  return { files: join(home, 'data'), account };
}

/** The server's folder: `<dataDir>/postgres`, or one below /var/lib/facteur, which `postgres.path` then names. */
function openHome(dataDir: string, account: ServerAccount | undefined, log: Logger): string {
  const near = join(dataDir, 'postgres');
  const known = readKept(dataDir, pointerFile);
  if (known !== undefined) {
    if (!fs.existsSync(known))
      throw new Error(
        `The database of ${dataDir} is missing: ${known} does not exist (see ${join(dataDir, pointerFile)})`,
      );
    return known;
  }
  // The data directory is ours: others may pass through it to a folder of their own, and see nothing.
  if (account) fs.chmodSync(dataDir, (fs.statSync(dataDir).mode & 0o777) | 0o011);
  if (canReach(account, dataDir)) {
    openFolder(near);
    return near;
  }
  if (fs.existsSync(near))
    throw new Error(`PostgreSQL cannot reach its data in ${near}: a folder above is closed to it`);
  // Not the name alone: a data directory that was deleted and made again must not find the old one's database.
  const name = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}-${randomBytes(4).toString('hex')}`;
  const far = join('/var/lib/facteur', name);
  openFolder('/var/lib/facteur');
  openFolder(far);
  // Durable before there is a database: one that nobody finds is lost.
  writeKept(dataDir, pointerFile, () => far);
  log.info(
    { folder: far },
    'The database is kept apart from the data directory, which PostgreSQL cannot reach',
  );
  return far;
}

/** Makes a folder that others may pass through, whatever the umask says. */
function openFolder(folder: string): void {
  if (fs.mkdirSync(folder, { recursive: true }) !== undefined) fs.chmodSync(folder, 0o755);
}

/** The folder of the socket: closed to others, and short enough for the address of a Unix socket. */
function openRun(home: string, account: ServerAccount | undefined): string {
  const near = join(home, 'run');
  if (near.length + 1 + socketName.length <= longestSocketPath) return closedFolder(near, account);
  const short = `/tmp/facteur-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
  return closedFolder(short, account);
}

function closedFolder(folder: string, account: ServerAccount | undefined): string {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    if (account) fs.chownSync(folder, account.uid, account.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = account?.uid ?? process.getuid?.();
    const there = fs.lstatSync(folder);
    // In /tmp another user could have created it before us, to listen in our place.
    if (!there.isDirectory() || there.uid !== owner || (there.mode & 0o077) !== 0)
      throw new Error(`The folder ${folder} exists and other users may access it; remove it`);
  }
  return folder;
}

async function start(
  home: string,
  cluster: Cluster,
  account: ServerAccount | undefined,
  options: PostgresOptions,
): Promise<void> {
  const written = join(cluster.data, 'PG_VERSION');
  const isNew = !fs.existsSync(written);
  const major = isNew ? undefined : Number(fs.readFileSync(written, 'utf8'));
  const binaries = findBinaries(account, home, major, options.log);
  if (isNew) await makeCluster(binaries, cluster, account, options.settings?.fsync !== 'off');
  const settings = { ...serverSettings(binaries.major), ...options.settings };
  await startPostmaster({ binaries, cluster, account, settings, log: options.log });
}

/** Makes the data directory under another name first: a crash in the middle leaves nothing that looks whole. */
async function makeCluster(
  binaries: Binaries,
  cluster: Cluster,
  account: ServerAccount | undefined,
  isSynced: boolean,
): Promise<void> {
  const half = `${cluster.data}.new`;
  fs.rmSync(half, { recursive: true, force: true });
  closedFolder(half, account);
  // From 17 on PostgreSQL brings a UTF-8 locale of its own, which no update of the system's can change under an index.
  const locale =
    binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale=C.UTF-8'];
  try {
    await runProgram(
      join(binaries.bin, 'initdb'),
      [
        '-D',
        half,
        '-U',
        'facteur',
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--data-checksums',
        ...locale,
        ...(isSynced ? [] : ['-N']),
      ],
      { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', LC_MESSAGES: 'C' }, ...account },
    );
  } catch (error) {
    throw new Error(`PostgreSQL could not make its data directory: ${(error as Error).message}`);
  }
  fs.renameSync(half, cluster.data);
}

/** Settings for a machine that is shared with the rest of Facteur. */
function serverSettings(major: number): Record<string, string> {
  const megabytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20;
  // A table is kept whole when it is below a quarter of this: to count a million subscribers takes 110 ms where it took
  // 154 with 512 MB.
  const shared = Math.round(Math.min(2_048, Math.max(32, megabytes / 8)));
  return {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: `${shared}MB`,
    effective_cache_size: `${Math.round(Math.max(128, megabytes / 2))}MB`,
    work_mem: '16MB',
    maintenance_work_mem: `${Math.min(256, Math.max(64, shared / 4))}MB`,
    // After a crash the server ends, and the keeper starts it: after its own restart on a full disk, it was seen to
    // stay in recovery for ever, without serving anyone.
    restart_after_crash: 'off',
    max_wal_size: '4GB',
    wal_compression: 'on',
    // A backup of the running server needs it: 'minimal' leaves changes out of the log. No standby can reach a server
    // without a network address.
    wal_level: 'replica',
    max_wal_senders: '0',
    // Every site has its own tables, and a migration locks all of them.
    max_locks_per_transaction: '256',
    random_page_cost: '1.1',
    // Pages come from the system's memory as a rule; to have other processes fetch them takes a fifth longer.
    ...(major >= 18 && { io_method: 'sync' }),
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Containers often give /dev/shm 64 MB, too little for parallel queries.
    ...(hasSmallShm() && { dynamic_shared_memory_type: 'sysv' }),
  };
}

function hasSmallShm(): boolean {
  try {
    const { blocks, bsize } = fs.statfsSync('/dev/shm');
    return blocks * bsize < 256 * 2 ** 20;
  } catch {
    return true;
  }
}

/** Records that this process uses the server; the returned function undoes it and returns if others do. In the lock. */
function enter(home: string): () => boolean {
  const users = join(home, 'users');
  fs.mkdirSync(users, { recursive: true });
  // Several users in one process (tests) each count.
  const mine = join(users, `${process.pid}-${startOfProcess(process.pid)}-${randomBytes(4).toString('hex')}`);
  fs.writeFileSync(mine, '');
  return () => {
    fs.rmSync(mine, { force: true });
    return usersOf(home).length > 0;
  };
}

/** Ids of the live processes that use the embedded server of a data directory, which need not exist. */
export function processesOn(dataDir: string): number[] {
  const home = readKept(dataDir, pointerFile) ?? join(dataDir, 'postgres');
  return fs.existsSync(join(home, 'users')) ? usersOf(home) : [];
}

/** The processes that use the server and live; what others have left is removed. */
function usersOf(home: string): number[] {
  const users = join(home, 'users');
  const pids: number[] = [];
  for (const name of fs.readdirSync(users)) {
    const [pid, start] = basename(name).split('-');
    if (startOfProcess(Number(pid)) === start) pids.push(Number(pid));
    else fs.rmSync(join(users, name), { force: true });
  }
  return pids;
}

async function makeDatabase(connection: pg.PoolConfig): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

/** Maximum bytes of a program's message in memory. */
const maxSaid = 64 * 1024;

/** Runs a program in its own process group, so that Ctrl-C is ours. @throws Error with its last line, or the reason */
function runProgram(command: string, args: readonly string[], options: SpawnOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-maxSaid);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve();
      reject(new Error(said.trim().split('\n').at(-1) || `it ended with ${signal ?? `code ${code}`}`));
    });
  });
}
