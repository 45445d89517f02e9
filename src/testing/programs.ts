import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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

/** Starts a program of `src/testing` in a process of its own; it is told its options as JSON in its one argument. */
export function startProgram(name: string, options: unknown, stdio: StdioOptions): ChildProcess {
  const args = [...nodeArguments(join('testing', name)), JSON.stringify(options)];
  return spawn(process.execPath, args, { stdio });
}
