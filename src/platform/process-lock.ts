import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs `work` while no other process of this machine is inside the same named section. The lock is a listening socket
 * in Linux' abstract namespace: the kernel frees it when its holder dies, so a `kill -9` leaves no stale lock file.
 */
export async function withProcessLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const path = `\0facteur-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  let server = await tryListen(path);
  while (!server) {
    await pause(20);
    server = await tryListen(path);
  }
  const held = server;
  try {
    return await work();
  } finally {
    await new Promise((resolve) => held.close(resolve));
  }
}

function tryListen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ path }, () => resolve(server));
  });
}

/**
 * Reports this life of a process from any other that has the same number: its start in clock ticks since boot (field
 * 22 of /proc/<pid>/stat). Undefined when it is not running; a zombie is not.
 */
export function startOfProcess(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command, field 2, is in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** The arguments that a process was started with; empty when it is not running. Readable for every user. */
export function argumentsOfProcess(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
