import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';

/** A file system of its own, so small that a test can fill it. */
export interface SmallDisk {
  /** Absolute path of a folder on it that belongs to the owner requested. */
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  close(): void;
}

/**
 * `describe` for tests that fill a disk: skipped, with the reason in its name, where none can be mounted (it takes
 * root with CAP_SYS_ADMIN); on CI they run all the same and fail, so that a lesser machine there cannot hide it.
 */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  const problem = whyNoSmallDisk();
  if (problem === undefined || process.env.CI === 'true') describe(name, tests);
  else describe.skip(`${name} (skipped: ${problem})`, tests);
}

/** Why no disk can be mounted here, by the system's own words; undefined when one can. */
function whyNoSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-mount-'));
  const problem = run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder);
  if (problem === undefined) run('umount', folder);
  rmdirSync(folder);
  return problem;
}

/**
 * Mounts a disk of the given number of bytes (tmpfs; needs root).
 * @param likeFolder whose owner the disk's folder gets.
 * @throws Error with mount's words.
 */
export function mountSmallDisk(bytes: number, likeFolder: string): SmallDisk {
  const point = mkdtempSync(join(tmpdir(), 'facteur-disk-'));
  const problem = run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'tmpfs', point);
  if (problem !== undefined) throw new Error(problem);
  const { uid, gid } = statSync(likeFolder);
  chownSync(point, uid, gid);
  const filler = join(point, 'filler');
  return {
    folder: point,
    fill() {
      for (let size = bytes; size > 0; size = Math.floor(size / 2)) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    },
    free: () => rmSync(filler, { force: true }),
    close() {
      // Lazily: a server that has just dropped its files may not have closed them yet.
      run('umount', '-l', point);
      rmSync(point, { recursive: true, force: true });
    },
  };
}

/** The command's words when it failed. */
function run(command: string, ...args: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim()) || `${command} failed`;
}
