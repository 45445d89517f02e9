import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Started } from '../announce.ts';
import type { TestApp } from './app.ts';
import { nodeArguments } from './programs.ts';

/** How a child of a test ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a real process of its own. */
export class FacteurProcess {
  readonly child: ChildProcess;
  /** Resolves when it has ended. */
  readonly ended: Promise<Ended>;
  readonly #firstLine: Promise<string | undefined>;

  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    input = '',
    options: Pick<SpawnOptions, 'detached'> = {},
  ) {
    this.child = spawn(process.execPath, [...nodeArguments('main.ts'), ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, FACTEUR_LOG_LEVEL: 'warn', ...environment },
      ...options,
    });
    const { stdin, stdout, stderr } = this.child;
    stdin!.end(input);
    let out = '';
    let err = '';
    stdout!.on('data', (chunk) => {
      out += chunk;
    });
    stderr!.on('data', (chunk) => {
      err += chunk;
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => resolve({ code, stdout: out, stderr: err }));
    });
    const lines = createInterface({ input: stdout! });
    this.#firstLine = new Promise((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(undefined));
    });
  }

  /** The line that `serve` prints when it is ready. @throws Error with its stderr when it ended instead. */
  async started(): Promise<Started> {
    const line = await this.#firstLine;
    if (line === undefined) throw new Error(`It ended: ${(await this.ended).stderr}`);
    return JSON.parse(line) as Started;
  }

  /** Ends it with a signal, and waits until it no longer exists. */
  async end(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** A command as a process of its own, over the database and the data directory of an app of the tests. */
export function commandOn(
  t: TestApp,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): FacteurProcess {
  const { host, port, user, database } = t.connection;
  const place = new URLSearchParams({ host: host!, port: String(port), user: user! });
  const DATABASE_URL = `postgresql:///${database}?${place}`;
  return new FacteurProcess(args, { DATABASE_URL, FACTEUR_DATA_DIR: t.dataDir, ...environment });
}
