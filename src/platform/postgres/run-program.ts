import { type SpawnOptions, spawn } from 'node:child_process';

/** Maximum bytes of a program's message in memory. */
const maxSaid = 64 * 1024;

/** Runs a program in its own process group, so that Ctrl-C is ours. @throws Error with its last line, or the reason */
export function runProgram(command: string, args: readonly string[], options: SpawnOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-maxSaid);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve();
      reject(new Error(said.trim().split('\n').at(-1) || `it ended with ${signal ?? `code ${code}`}`));
    });
  });
}
