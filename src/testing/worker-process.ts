import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { startProgram } from './programs.ts';
import type { WorkerSettings } from './sending-worker.ts';

/** A sending engine in a process of its own. */
export class WorkerProcess {
  readonly child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(settings: WorkerSettings) {
    this.child = startProgram('sending-worker.ts', settings, ['ignore', 'pipe', 'inherit']);
    this.#ended = once(this.child, 'exit');
  }

  /** Resolves when the engine has begun. @throws Error when the process ended instead. */
  async ready(): Promise<void> {
    const said = once(this.child.stdout!, 'data').then(() => true);
    if (!(await Promise.race([said, this.#ended.then(() => false)])))
      throw new Error('The worker ended before it began');
  }

  /** Ends it with a signal and waits until it no longer exists. */
  async end(name: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(name);
    await this.#ended;
  }

  /** Milliseconds of processor time that it has used, of 10 ms each (proc(5): utime and stime in ticks). */
  processorMs(): number {
    const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8');
    const [utime, stime] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (utime! + stime!) * 10;
  }
}
