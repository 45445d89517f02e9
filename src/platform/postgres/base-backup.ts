import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A part of a database's files: a folder, a file that is read when it is taken, or bytes. */
export type DatabasePart =
  | { readonly name: string; readonly kind: 'folder' }
  | { readonly name: string; readonly kind: 'file'; readonly path: string }
  | { readonly name: string; readonly kind: 'bytes'; readonly bytes: Buffer };

/** Name of the part that comes last: without it PostgreSQL must not start on the files. */
export const lastDatabasePart = 'backup_label';

/** Files that only the running server needs. */
const ofTheRunningServer = new Set(['postmaster.pid', 'postmaster.opts', 'pg_internal.init']);
/** Folders that a start rebuilds, and the log, which the backup takes at its end (PostgreSQL's low-level API). */
const emptied = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const controlFile = 'global/pg_control';

/**
 * Reads the files of a running server in a way that makes them a consistent database wherever they are put: the state
 * of the moment at which the last part is given. Changes continue in the meantime. A temporary replication slot keeps
 * the log that is needed; it goes with the connection, so a killed backup leaves nothing behind.
 * @param connection a superuser's. @param files folder of the server's files, on this machine.
 */
export async function* baseBackup(connection: pg.PoolConfig, files: string): AsyncGenerator<DatabasePart> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await refuseMinimalLog(client);
    await client.query(`select pg_create_physical_replication_slot($1, true, true)`, [
      `facteur_backup_${process.pid}_${Date.now()}`,
    ]);
    const first = await walFile(client, `select pg_backup_start('facteur', true) as lsn`);
    yield* partsBelow(files, '');
    const { lsn, label } = await one<{ lsn: string; label: string }>(
      client,
      `select lsn, labelfile as label from pg_backup_stop(false)`,
    );
    const last = await walFile(client, `select $1::pg_lsn as lsn`, [lsn]);
    yield* logBetween(files, first, last);
    yield { name: controlFile, kind: 'bytes', bytes: await steadyBytes(join(files, controlFile)) };
    yield { name: lastDatabasePart, kind: 'bytes', bytes: Buffer.from(label) };
  } finally {
    await client.end();
  }
}

/** @throws Error for a server that an earlier version of Facteur started. */
async function refuseMinimalLog(client: pg.Client): Promise<void> {
  const { level } = await one<{ level: string }>(client, `select current_setting('wal_level') as level`);
  if (level === 'minimal')
    throw new Error(
      'The running PostgreSQL was started by an older version of Facteur; restart the service, then back up',
    );
}

async function one<R extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []) {
  return (await client.query<R>(text, values)).rows[0]!;
}

/** Name of the log file that holds a position. */
async function walFile(client: pg.Client, position: string, values: unknown[] = []): Promise<string> {
  const text = `select pg_walfile_name(lsn) as name from (${position}) at`;
  return (await one<{ name: string }>(client, text, values)).name;
}

function* partsBelow(files: string, folder: string): Generator<DatabasePart> {
  const entries = entriesOf(join(files, folder));
  const unlogged = new Set(entries.flatMap(({ name }) => /^(\d+)_init$/.exec(name)?.[1] ?? []));
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name.startsWith('pgsql_tmp')) continue;
      yield { name, kind: 'folder' };
      if (emptied.has(name)) yield* foldersBelow(files, name);
      else yield* partsBelow(files, name);
    } else if (isKept(name, entry.name, unlogged)) {
      yield { name, kind: 'file', path: join(files, name) };
    }
  }
}

/** A start empties the tables that are not logged, so only their initial forks are needed. */
function isKept(name: string, base: string, unlogged: ReadonlySet<string>): boolean {
  if (name === controlFile || ofTheRunningServer.has(base) || base.startsWith('pgsql_tmp')) return false;
  // A temporary table, which is dropped with its session.
  if (/^t\d+_\d+/.test(base)) return false;
  const relation = /^(\d+)(?:_(?:fsm|vm))?(?:\.\d+)?$/.exec(base)?.[1];
  return relation === undefined || !unlogged.has(relation);
}

function* foldersBelow(files: string, folder: string): Generator<DatabasePart> {
  // A slot's folder is no part of what is kept, the fixed folders of the log are.
  if (folder !== 'pg_wal') return;
  for (const entry of entriesOf(join(files, folder)))
    if (entry.isDirectory()) yield { name: `${folder}/${entry.name}`, kind: 'folder' };
}

/** Returns a folder's entries; empty if the server has removed it in the meantime. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** @throws Error when a file of the log that the slot should have kept is missing. */
function* logBetween(files: string, first: string, last: string): Generator<DatabasePart> {
  const names = readdirSync(join(files, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const needed = names.filter((name) => first <= name && name <= last).sort();
  if (needed[0] !== first || needed.at(-1) !== last)
    throw new Error(`PostgreSQL no longer has its log from ${first} to ${last}; back up again`);
  // 16 MB each. A file that is missing by now fails the backup.
  for (const name of needed)
    yield { name: `pg_wal/${name}`, kind: 'bytes', bytes: readFileSync(join(files, 'pg_wal', name)) };
}

/** A file that is written in place, read when no write is halfway through it. */
async function steadyBytes(path: string): Promise<Buffer> {
  let before = readFileSync(path);
  for (;;) {
    await pause(5);
    const after = readFileSync(path);
    if (after.equals(before)) return after;
    before = after;
  }
}
