import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Runs `work` under a lock of this machine: an abstract socket, which the kernel frees when its holder dies. */
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

/** Returns a process's start in clock ticks since boot, which tells lives apart; undefined if it is not running. */
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
