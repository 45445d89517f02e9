import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';
import { until } from './until.ts';

/** Whether a program is on the machine. */
export function isInstalled(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, program)));
}

/**
 * `describe` for tests that talk to a real program of Debian's: skipped, with the reason in its name, on a machine
 * without it; on CI they run all the same and fail, so that a missing install step cannot hide.
 */
export function describeWith(program: string, name: string, tests: () => void): void {
  if (isInstalled(program) || process.env.CI === 'true') describe(name, tests);
  else describe.skip(`${name} (skipped: ${program} is not installed)`, tests);
}

/** Starts a program that serves a port of loopback, and waits until it does. @throws Error with what it wrote */
export async function startDaemon(
  port: number,
  program: string,
  args: readonly string[],
): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said = (said + text).slice(-4000);
    });
  let hasEnded = false;
  for (const event of ['error', 'exit']) child.once(event, () => (hasEnded = true));
  // An engine reads about a thousand rules at its start.
  try {
    await until(() => hasEnded || isOpen(port), `${program} listens`, 200_000);
    if (hasEnded) throw new Error(`${program} ended`);
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${(error as Error).message}; it wrote: ${said}`);
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('connect', () => socket.destroy()).once('error', () => resolve(false));
  });
