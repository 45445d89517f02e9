import { existsSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '../platform/data-dir.ts';
import { sql } from '../platform/db/sql.ts';
import type { OpenedApp } from '../platform/open-app.ts';
import { baseBackup, lastDatabasePart } from '../platform/postgres/base-backup.ts';
import { type AboutBackup, ArchiveWriter, aboutEntry, databaseFolder, dataFolder } from './backup-archive.ts';

/** Files in a backup besides the database. The others are rebuilt, short-lived, or distinguish copies. */
const keptFiles: readonly string[] = ['secret', 'admin-token', 'sftp-host-key', 'sending-mark'];
const keptFolder = 'sftp';

/**
 * Writes the embedded database, the secrets and the sites' files to one compressed tar file, while the service works.
 * The file gets its name when it is whole and durable. The time grows with the size on disk; memory is constant.
 * @throws Error when the database is not the embedded one, or the file exists.
 */
export async function backUp({ app, postgres }: OpenedApp, file: string) {
  if (!postgres)
    throw new Error(
      'backup: DATABASE_URL names a PostgreSQL of your own; back it up by its own means, for example pg_dump',
    );
  const path = resolve(file);
  const half = `${path}.part`;
  for (const name of [path, half])
    if (existsSync(name)) throw new Error(`backup: ${name} already exists; remove it or name another file`);
  const archive = new ArchiveWriter(half);
  let bytes: number;
  try {
    const { dataDir } = app.config;
    await archive.addBytes(aboutEntry, Buffer.from(`${JSON.stringify(await about(app))}\n`));
    // Before the database, which must never seem older than the mark.
    for (const name of keptFiles) await archive.addFile(`${dataFolder}${name}`, join(dataDir, name));
    const last = await addDatabase(archive, postgres);
    // After the database, so that the files that it names are there.
    await addBelow(archive, dataDir, keptFolder);
    await archive.addBytes(`${databaseFolder}${lastDatabasePart}`, last);
    bytes = await archive.end();
  } catch (error) {
    await archive.abandon();
    throw error;
  }
  renameSync(half, path);
  syncFolder(dirname(path));
  const { secret } = app.config;
  // A secret that is not in the file must be stored with it.
  return { file: path, bytes, ...(secret !== undefined && { keepWithIt: 'the value of FACTEUR_SECRET' }) };
}

async function about({ control, clock }: OpenedApp['app']): Promise<AboutBackup> {
  const major = await control.value<number>(
    sql`select current_setting('server_version_num')::int / 10000 as major`,
  );
  return { format: 1, postgres: major, arch: process.arch, createdAt: clock.now().toISOString() };
}

/** Adds all parts of the database but the last, which it returns. */
async function addDatabase(
  archive: ArchiveWriter,
  { connection, files }: NonNullable<OpenedApp['postgres']>,
): Promise<Buffer> {
  let last: Buffer | undefined;
  for await (const part of baseBackup(connection, files)) {
    const name = `${databaseFolder}${part.name}`;
    if (part.kind === 'folder') await archive.addFolder(name);
    else if (part.kind === 'file') await archive.addFile(name, part.path);
    else if (part.name === lastDatabasePart) last = part.bytes;
    else await archive.addBytes(name, part.bytes);
  }
  return last!;
}

async function addBelow(archive: ArchiveWriter, dataDir: string, folder: string): Promise<void> {
  if (!existsSync(join(dataDir, folder))) return;
  await archive.addFolder(`${dataFolder}${folder}`);
  for (const entry of readdirSync(join(dataDir, folder), { withFileTypes: true })) {
    const below = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await addBelow(archive, dataDir, below);
    else if (entry.isFile()) await archive.addFile(`${dataFolder}${below}`, join(dataDir, below));
  }
}
