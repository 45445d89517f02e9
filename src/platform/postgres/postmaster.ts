import { spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { argumentsOfProcess, startOfProcess } from '../process-lock.ts';
import type { Binaries } from './binaries.ts';
import type { ServerAccount } from './server-account.ts';

/** Where one server keeps its things. */
export interface Cluster {
  readonly data: string;
  /** Folder of its Unix socket. */
  readonly run: string;
  /** The file of what the server says. */
  readonly log: string;
}

/** Maximum bytes of a server's log; the previous log may have as many. */
const longestLog = 10_000_000;

const sizeOfLog = ({ log }: Cluster): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0;

export const isLogTooLong = (cluster: Cluster): boolean => sizeOfLog(cluster) > longestLog;

/** Restarts the server's log and keeps `<log>.old`. Copied and emptied, because the server keeps the file open. */
export function cutLog({ log }: Cluster): void {
  copyFileSync(log, `${log}.old`);
  truncateSync(log);
}

/** A start after which the operating system still holds the memory of a server that was killed. */
class StillHeld extends Error {}

/** The number of the live server on a data directory, from its postmaster.pid. */
export function livePostmaster(data: string): number | undefined {
  const pid = Number(pidFile(data)[0]);
  if (!(pid > 0) || startOfProcess(pid) === undefined) return undefined;
  // A number is used again after a restart of the machine or container, so it alone proves nothing.
  return argumentsOfProcess(pid).includes(data) ? pid : undefined;
}

function pidFile(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** The parts that a server is started with. */
interface ServerStart {
  readonly binaries: Binaries;
  readonly cluster: Cluster;
  readonly account: ServerAccount | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** Starts the server and waits until it accepts connections. @throws Error with its last log lines if it ends */
export async function startPostmaster(of: ServerStart): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    removeDeadPidFile(of.cluster.data);
    try {
      await startOnce(of);
      return;
    } catch (error) {
      // After a kill -9 the server's children take a moment to notice and to release the shared memory.
      if (!(error instanceof StillHeld) || Date.now() > deadline) throw error;
      await pause(100);
    }
  }
}

/**
 * PostgreSQL refuses to start on a postmaster.pid whose number now belongs to some other program, and on an empty one,
 * as a server leaves it that died between making and writing it: it had no children yet. A number that belongs to
 * nobody stays: PostgreSQL itself then checks that no child of the dead server is left.
 */
function removeDeadPidFile(data: string): void {
  const [number] = pidFile(data);
  if (number === undefined || livePostmaster(data) !== undefined) return;
  const isDead = number === '' ? !isServed(data) : startOfProcess(Number(number)) !== undefined;
  if (isDead) unlinkSync(join(data, 'postmaster.pid'));
}

/** Whether a server was started on a data directory and lives, be it that it has written nothing yet. */
function isServed(data: string): boolean {
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && argumentsOfProcess(Number(name)).includes(data),
  );
}

/** Errors while a killed server's children hold its memory, number or file, or another server is starting. */
const heldStill = /is still in use|lock file "postmaster.pid" (already exists|is empty)/;

async function startOnce({ binaries, cluster, account, settings, log }: ServerStart): Promise<void> {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const before = sizeOfLog(cluster);
  // A file, not a pipe: the server outlives us when we are killed, and must be able to continue writing. Appended to,
  // so that it continues at the beginning when the file is emptied.
  const output = openSync(cluster.log, 'a', 0o600);
  const child = spawn(join(binaries.bin, 'postgres'), ['-D', cluster.data, '-k', cluster.run, ...options], {
    cwd: '/',
    // A session of its own: Ctrl-C in the terminal reaches only us, and we stop the server when we are ready.
    detached: true,
    stdio: ['ignore', output, output],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', LC_MESSAGES: 'C' },
    ...account,
  });
  closeSync(output);
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? code}`;
  });
  child.unref();

  for (let waited = 0; ; waited += 10) {
    if (ended !== undefined) {
      const said = readFileSync(cluster.log).subarray(before).toString().trim();
      const message = `PostgreSQL did not start (${ended}): ${said.split('\n').slice(-8).join('\n')}`;
      throw heldStill.test(said) ? new StillHeld(message) : new Error(message);
    }
    if (isReady(cluster.data, child.pid)) return;
    if (waited > 0 && waited % 10_000 === 0) log.info({ seconds: waited / 1000 }, 'waiting for PostgreSQL');
    await pause(10);
  }
}

function isReady(data: string, pid: number | undefined): boolean {
  const lines = pidFile(data);
  // Line 8 is the state (src/include/utils/pidfile.h).
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/** Waits until a server that another caller started takes connections. */
export async function waitUntilReady(data: string, pid: number): Promise<void> {
  while (!isReady(data, pid)) {
    if (livePostmaster(data) !== pid) throw new Error('PostgreSQL ended while it was starting');
    await pause(10);
  }
}

/** Stops a server: its clients are disconnected, their transactions rolled back, everything is on disk after. */
export async function stopPostmaster(data: string, pid: number): Promise<void> {
  const start = startOfProcess(pid);
  if (start === undefined || livePostmaster(data) !== pid) return;
  send(pid, 'SIGINT');
  // It removes its postmaster.pid before it no longer exists, so that is not the end to wait for.
  for (let waited = 0; startOfProcess(pid) === start; waited += 10) {
    // Its last checkpoint takes long on a busy disk; past this it recovers from its log at the next start instead.
    if (waited === 60_000) send(pid, 'SIGQUIT');
    await pause(10);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
