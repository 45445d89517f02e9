import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of this folder in a process of its own, and the lines that it prints. */
export interface Program {
  readonly child: ChildProcess;
  readonly lines: Interface;
  /** The first line that it printed: the port it listens on. */
  readonly port: number;
}

/** The compiler runs the program from its source; `path` is relative to this folder. */
const spawnScript = (path: string, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL(path, import.meta.url)), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });

/** Starts a program, and waits until it has printed its port. */
export async function startProgram(path: string, ...args: string[]): Promise<Program> {
  const child = spawnScript(path, args);
  const lines = createInterface({ input: child.stdout! });
  const first = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  if (first.length === 0) throw new Error(`${path} did not start`);
  return { child, lines, port: Number(first[0]) };
}

/** Writes a line to a program, and returns the number that it answers. */
export async function ask({ child, lines }: Program): Promise<number> {
  child.stdin!.write('\n');
  return Number((await once(lines, 'line'))[0]);
}

/** Returns a program's output until it ends. @throws Error if it fails */
export async function outputOf(child: ChildProcess): Promise<string> {
  let out = '';
  child.stdout!.on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnargs.at(-1)} ended with ${code}`);
  return out;
}

/** The rate of a sender, and the milliseconds of processor time per message, the start of its process included. */
export interface SendingRate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** Sends messages with nodemailer's pool alone: `compose` builds each message, `raw` repeats a finished one. */
export async function nodemailerPool(
  port: number,
  connections: number,
  messages: number,
  kind: 'compose' | 'raw',
): Promise<SendingRate> {
  const args = [port, connections, messages, kind].map(String);
  return JSON.parse(await outputOf(spawnScript('nodemailer-pool.ts', args)));
}
