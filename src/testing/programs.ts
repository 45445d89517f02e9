import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Work, WorkOptions, WorkResult } from './work-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Names the folder of the programs that were compiled for this run of tests; threads and children inherit it. */
const compiledAt = 'COMPILED_PROGRAMS';

/**
 * Compiles all of `src` into a folder, as the build does but without its check, so that processes of tests start in
 * less than half the processor time: from the sources, every module of theirs and of their libraries goes by tsx.
 */
export async function compilePrograms(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // What the program finds beside its sources.
  for (const name of ['node_modules', 'migrations', 'package.json', 'openapi.json', 'web'])
    await symlink(join(root, name), join(folder, name));
  const rootDir = join(root, 'src');
  const settings = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { rootDir, outDir: join(folder, 'dist'), noCheck: true, types: [], sourceMap: false },
    include: [rootDir],
    exclude: [join(rootDir, '**/*.test.ts')],
  };
  const file = join(folder, 'tsconfig.json');
  await writeFile(file, JSON.stringify(settings));
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', file]);
  process.env[compiledAt] = join(folder, 'dist');
}

/**
 * The arguments with which node runs a program of `src`, for instance `main.ts`: as it was compiled for this run of
 * tests; from the sources in a benchmark, and in a run that watches them, where what was compiled would grow old.
 */
export function nodeArguments(program: string): string[] {
  const compiled = process.env[compiledAt];
  if (compiled === undefined) return ['--import', 'tsx', join(root, 'src', program)];
  return [join(compiled, program.replace(/\.ts$/, '.js'))];
}

/** Starts a program of `src/testing` in a process of its own; its one argument is its options as JSON. */
export function startProgram(name: string, options: unknown, stdio: StdioOptions): ChildProcess {
  const args = [...nodeArguments(join('testing', name)), JSON.stringify(options)];
  return spawn(process.execPath, args, { stdio });
}

/** The secret of processes that do work; what they are to decrypt must be encrypted with it. */
export const processSecret = Buffer.alloc(32);

/** The database and the data directory of an app of the tests. */
type Place = Pick<WorkOptions, 'connection' | 'dataDir'>;
type Differences = Partial<Pick<WorkOptions, 'settings' | 'secret' | 'now'>>;

const optionsOf = ({ connection, dataDir }: Place, work: Work, differences: Differences): WorkOptions => ({
  ...{ connection, dataDir, work },
  ...differences,
});

/** Starts work beside the program of a test, in a process that can be killed. */
export function startWork(place: Place, work: Work, differences: Differences = {}): ChildProcess {
  const options = optionsOf(place, work, differences);
  return startProgram('work-process.ts', options, ['ignore', 'pipe', 'inherit']);
}

/** Does work in a process of its own, run from the sources, to measure it. @param flags flags of node */
export function measuredWork(
  place: Place,
  work: Work,
  differences: Differences = {},
  flags: readonly string[] = [],
): Promise<WorkResult> {
  return measured('work-process.ts', optionsOf(place, work, differences), flags);
}

/**
 * Runs a program of `src/testing` from the sources until it ends; returns the JSON that it prints.
 * @throws Error when it fails
 */
export async function measured<T>(
  name: string,
  options: unknown = {},
  flags: readonly string[] = [],
): Promise<T> {
  const args = ['--import', 'tsx', join(root, 'src/testing', name), JSON.stringify(options)];
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return JSON.parse(said) as T;
}

/** Ends a process with a signal and waits until it no longer exists. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** Ids of the processes that a process has started and that still run. */
export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

/** Kills a process that still works. @throws Error when it had ended before */
export async function killWork(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error('The work was done before it could be killed');
  await kill(child);
}

/** The most memory that a process has had resident so far; maxRSS begins with what its parent had at its start. */
export function peakMegabytes(pid: number | 'self'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
