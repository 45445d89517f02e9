import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { startOfProcess } from './process-lock.ts';

/** Returns a name for this process, unique over all machines and lives, for `hasEnded` on the same machine. */
export function nameOfProcess(): string {
  const parts = [process.pid, startOfProcess(process.pid), machine(), randomBytes(9).toString('base64url')];
  return parts.filter((part) => part !== undefined).join('-');
}

/** Whether the process of a name has ended; false if frozen, or of another machine, container or user. */
export function hasEnded(name: string): boolean {
  const [, pid, start, where] = /^(\d+)-(\d+)-([\da-f]{16})-/.exec(name) ?? [];
  return where !== undefined && where === machine() && startOfProcess(Number(pid)) !== start;
}

/** Names the scope of process numbers: boot, PID namespace, and user. Undefined if the kernel does not say. */
function machine(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const parts = [boot, readlinkSync('/proc/self/ns/pid'), process.getuid?.()];
    return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 16);
  } catch {
    return undefined;
  }
}
