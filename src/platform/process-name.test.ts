import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../testing/until.ts';
import { startOfProcess } from './process-lock.ts';
import { hasEnded, nameOfProcess } from './process-name.ts';

let child: ReturnType<typeof spawn>;
let ended: Promise<unknown>;
let name: string;
beforeEach(() => {
  child = spawn('sleep', ['600']);
  ended = once(child, 'exit');
  // The child's name as the child would give it: its number and its start are its own, everything else is ours.
  name = nameOfProcess().replace(/^\d+-\d+/, `${child.pid}-${startOfProcess(child.pid!)}`);
});
afterEach(async () => {
  child.kill('SIGKILL');
  await ended;
});

describe('the name of a process', () => {
  it('is a new one each time, and shows that its process has not ended', () => {
    expect(nameOfProcess()).not.toBe(nameOfProcess());
    expect(hasEnded(nameOfProcess())).toBe(false);
  });

  it('shows that its process was killed, and that its number belongs to another process', async () => {
    expect(hasEnded(name)).toBe(false);
    const later = name.replace(/^(\d+)-(\d+)/, (_, pid, start) => `${pid}-${Number(start) - 1}`);
    expect(hasEnded(later)).toBe(true);
    child.kill('SIGKILL');
    await ended;
    expect(hasEnded(name)).toBe(true);
  });

  it('does not take a frozen process for one that has ended', async () => {
    child.kill('SIGSTOP');
    await until(() => / T /.test(readFileSync(`/proc/${child.pid}/stat`, 'latin1')), 'it is frozen');
    expect(hasEnded(name)).toBe(false);
  });

  it('shows nothing about a process of another machine, nor about a text that is not a name', () => {
    const elsewhere = name.replace(/-[\da-f]{16}-/, '-0123456789abcdef-').replace(/^\d+/, '999999999');
    for (const unknown of [elsewhere, '', 'another', `${process.pid}-abc`])
      expect(hasEnded(unknown)).toBe(false);
  });
});
