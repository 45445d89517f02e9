import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

/** Whether a program is on the machine. */
export function isInstalled(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * `describe` for tests that talk to a real program of Debian's: skipped, with the reason in its name, on a machine
 * without it; on CI they run all the same and fail, so that a missing install step cannot hide.
 */
export function describeWith(program: string, name: string, tests: () => void): void {
  if (isInstalled(program) || process.env.CI === 'true') describe(name, tests);
  else describe.skip(`${name} (skipped: ${program} is not installed)`, tests);
}
