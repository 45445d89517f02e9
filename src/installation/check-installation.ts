import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../platform/app.ts';
import { readKeptJson, syncFolder, writeKept } from '../platform/data-dir.ts';
import type { Connection } from '../platform/db/database.ts';
import { hasSites } from '../platform/db/sites.ts';
import { readIdentity, renewIdentity } from './data-dir-identity.ts';
import {
  addEpoch,
  clearHold,
  currentEpoch,
  currentHold,
  type Epoch,
  type Hold,
  knowsEpoch,
  type Place,
  raiseMark,
  serverOf,
  setHold,
} from './installation-store.ts';

type Parts = Pick<App, 'config' | 'control' | 'clock' | 'log'>;

const reasons = {
  dump: 'the database was restored from a dump, or cloned',
  copy: 'the data directory was restored from a backup, or copied',
  apart: 'the database and the data directory do not belong together',
  older: 'the database is older than the mail that has left: it was restored to an earlier state',
} as const;

/**
 * Looks whether the database is the one that this installation has sent with, in the state in which it left it; if
 * not, holds all sending. Called under the lock of the first start, before anything is sent.
 *
 * Killed anywhere it raises no false alarm: the file of the data directory is there before its row, the mark is
 * committed before its file, and a file that is missing says nothing.
 */
export async function checkInstallation(app: Parts): Promise<Hold | undefined> {
  const { control, config, clock, log } = app;
  const epoch = await currentEpoch(control);
  const mark = readMark(config.dataDir);
  let why: string | undefined;
  if (epoch) why = await doubtOf(app, epoch, mark);
  else if (mark && (await hasSites(control))) why = reasons.older;
  else {
    // A new installation, or one of a version that kept no epochs. A mark is a former database's then.
    if (mark) removeMark(config.dataDir);
    await addEpoch(control, randomUUID(), await renewPlace(app), clock.now());
  }
  if (why) await setHold(control, why, clock.now());
  const hold = await currentHold(control);
  if (hold)
    log.error({ why: hold.why, since: hold.since }, 'nothing is sent until npx facteur installation adopt');
  return hold;
}

/** Why this is not the database, or not the state of it, with which mail was sent; undefined when it is. */
async function doubtOf(app: Parts, epoch: Epoch, mark: SendingMark | undefined): Promise<string | undefined> {
  const { control, config } = app;
  if (epoch.server !== (await serverOf(control))) return reasons.dump;
  if (isEmbedded(app) && epoch.dataDir !== null) {
    const identity = readIdentity(config.dataDir);
    if (identity?.isCopy) return reasons.copy;
    if (identity?.id !== epoch.dataDir) return reasons.apart;
  }
  return (await isOlder(control, mark)) ? reasons.older : undefined;
}

/**
 * Raises the mark, in the database first and then in the data directory. Called before a job is begun and every few
 * seconds while mail leaves; mail that leaves after it is known to be missing in any older state of the database.
 * @returns false when nothing may be sent: sending is held, or is from now on because the database was restored to an
 * earlier state under the running process.
 */
export async function markSending(app: Parts): Promise<boolean> {
  const { control, config, clock, log } = app;
  // Read before the mark is raised: another process that shares the folder may be ahead afterwards.
  const known = readMark(config.dataDir);
  if (await isOlder(control, known)) {
    await setHold(control, reasons.older, clock.now());
    log.error({ why: reasons.older }, 'nothing is sent until npx facteur installation adopt');
    return false;
  }
  const raised = await raiseMark(control);
  if (!raised) return false;
  writeMark(config.dataDir, { epoch: raised.id, mark: raised.mark });
  return true;
}

/** Makes this database and data directory the installation: ends a hold, begins an epoch. Paused jobs stay paused. */
export async function adoptInstallation(app: Parts): Promise<void> {
  const { control, config, clock } = app;
  const place = await renewPlace(app);
  const known = readMark(config.dataDir);
  await control.transaction(async (tx) => {
    // The file's epoch is known from now on, so that a crash before the file is written again raises no alarm.
    if (known) await addEpoch(tx, known.epoch, place, clock.now());
    await addEpoch(tx, randomUUID(), place, clock.now());
    await clearHold(tx);
  });
}

/** Holds all sending at an operator's request, for example before a copy is started. */
export async function holdInstallation(app: Parts, why: string): Promise<void> {
  await setHold(app.control, why, app.clock.now());
}

function isEmbedded({ config }: Parts): boolean {
  return config.databaseUrl === undefined;
}

async function renewPlace(app: Parts): Promise<Place> {
  const { dataDir } = app.config;
  const server = await serverOf(app.control);
  if (!isEmbedded(app)) return { server, dataDir: null };
  const known = readIdentity(dataDir);
  const identity = known && !known.isCopy ? known : renewIdentity(dataDir);
  return { server, dataDir: identity.id };
}

/** Whether the data directory has seen a later state of the database than this one. */
async function isOlder(control: Connection, known: SendingMark | undefined): Promise<boolean> {
  if (!known) return false;
  const epoch = await currentEpoch(control);
  // A past epoch: the database was adopted since, perhaps from another machine.
  if (epoch?.id !== known.epoch) return !(await knowsEpoch(control, known.epoch));
  return epoch.mark < known.mark;
}

/** Name of the file in the data directory with the database's position at the last mail. */
const markFile = 'sending-mark';

interface SendingMark {
  readonly epoch: string;
  readonly mark: number;
}

/** Reads the last mark of this data directory; undefined if there is none. @throws Error if it cannot be parsed */
function readMark(folder: string): SendingMark | undefined {
  return readKeptJson<SendingMark>(
    folder,
    markFile,
    ({ epoch, mark }) => typeof epoch === 'string' && Number.isSafeInteger(mark),
  );
}

/** Replaces the mark; durable on return. The caller's mark is committed: the file must never be ahead. */
function writeMark(folder: string, mark: SendingMark): void {
  writeKept(folder, markFile, () => JSON.stringify(mark));
}

/** Forgets the mark of a database that is no more; durable on return. */
function removeMark(folder: string): void {
  rmSync(join(folder, markFile), { force: true });
  syncFolder(folder);
}
