import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { makeDataDir, restoringFile, syncFolder, writeKept } from '../platform/data-dir.ts';
import { lastDatabasePart } from '../platform/postgres/base-backup.ts';
import { type DatabasePlace, makeDatabasePlace, pointerFile } from '../platform/postgres/embedded.ts';
import {
  type AboutBackup,
  type ArchiveEntry,
  aboutEntry,
  databaseFolder,
  dataFolder,
  readArchive,
} from './backup-archive.ts';
import { markCopied } from './data-dir-identity.ts';

/**
 * Fills the data directory, which must be empty, from a backup. Killed at any point, it leaves a data directory on
 * which nothing starts, and which the same command fills again. The next start holds all sending.
 * @throws Error in one sentence when the file is no whole backup, or fits neither this machine nor the folder.
 */
export async function restore(
  file: string,
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Logger,
) {
  if (databaseUrl !== undefined)
    throw new Error('restore: fills the embedded database; unset DATABASE_URL, which names another one');
  makeDataDir(dataDir);
  empty(dataDir);
  writeKept(dataDir, restoringFile, () => file);
  let about: AboutBackup | undefined;
  let place: DatabasePlace | undefined;
  let isWhole = false;
  try {
    for await (const entry of readArchive(file)) {
      if (!about || !place) {
        about = await readAbout(entry);
        place = makeDatabasePlace(dataDir, about.postgres, log);
        for (const left of [half(place), place.files]) fs.rmSync(left, { recursive: true, force: true });
        makeFolder(half(place), place);
      } else await put(entry, dataDir, place);
      isWhole = entry.name === `${databaseFolder}${lastDatabasePart}`;
    }
    if (!about || !place || !isWhole) throw new Error('it ends too early');
  } catch (error) {
    throw new Error(`restore: ${file} could not be restored: ${(error as Error).message}`);
  }
  fs.renameSync(half(place), place.files);
  syncFolder(dirname(place.files));
  markCopied(dataDir);
  fs.rmSync(join(dataDir, restoringFile));
  syncFolder(dataDir);
  return { dataDir, createdAt: about.createdAt };
}

const half = (place: DatabasePlace) => `${place.files}.new`;

/** Removes what an incomplete restore left. @throws Error when something else is there. */
function empty(dataDir: string): void {
  const names = fs.readdirSync(dataDir).filter((name) => name !== 'lost+found');
  if (names.length > 0 && !names.includes(restoringFile))
    throw new Error(
      `restore: the data directory ${dataDir} is not empty; set FACTEUR_DATA_DIR to an empty or a new folder`,
    );
  // The path of a database outside the data directory stays: it is filled again.
  for (const name of names)
    if (name !== restoringFile && name !== pointerFile)
      fs.rmSync(join(dataDir, name), { recursive: true, force: true });
}

/** @throws Error when this machine cannot use the backup. */
async function readAbout(entry: ArchiveEntry): Promise<AboutBackup> {
  if (entry.name !== aboutEntry) throw new Error('it is no backup of Facteur');
  let text = '';
  for await (const chunk of entry.content) {
    text += chunk.toString();
    if (text.length > 10_000) throw new Error('it is no backup of Facteur');
  }
  const about = JSON.parse(text) as AboutBackup;
  if (about.format !== 1) throw new Error('a newer version of Facteur wrote it; use that version');
  if (about.arch !== process.arch)
    throw new Error(
      `it was written on ${about.arch}, and this machine is ${process.arch}; use pg_dump to move`,
    );
  return about;
}

async function put(entry: ArchiveEntry, dataDir: string, place: DatabasePlace): Promise<void> {
  const { name } = entry;
  if (name.startsWith(databaseFolder)) {
    const path = join(half(place), name.slice(databaseFolder.length));
    if (entry.kind === 'folder') makeFolder(path, place);
    else await write(entry, path, place);
    return;
  }
  if (!name.startsWith(dataFolder)) throw new Error(`it holds '${name}', which no backup has`);
  const path = join(dataDir, name.slice(dataFolder.length));
  if (entry.kind === 'folder') fs.mkdirSync(path, { mode: 0o700, recursive: true });
  else await write(entry, path);
}

function makeFolder(path: string, { account }: DatabasePlace): void {
  fs.mkdirSync(path, { mode: 0o700 });
  if (account) fs.chownSync(path, account.uid, account.gid);
}

/** Writes a file, durable on return. */
async function write(entry: ArchiveEntry, path: string, place?: DatabasePlace): Promise<void> {
  await pipeline(entry.content, fs.createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  fs.utimesSync(path, entry.modifiedAt, entry.modifiedAt);
  const account = place?.account;
  if (account) fs.chownSync(path, account.uid, account.gid);
}
