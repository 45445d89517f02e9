import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { refusalLog } from './refusal-log.ts';

function noted() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  return { lines, note: refusalLog(log, () => now), pass: (ms: number) => (now += ms) };
}

describe('refusalLog', () => {
  it('logs the first of a minute at warn, with the address, and the next with the number between', () => {
    const { lines, note, pass } = noted();
    for (let i = 0; i < 100; i++) note('a wrong token', '192.0.2.1', { try: i });
    note('a wrong token', '192.0.2.2');
    note('a wrong sign-in', '192.0.2.1');
    pass(60_000);
    note('a wrong token', '192.0.2.1');
    const warn = { level: 40 };
    expect(lines).toEqual([
      { ...warn, address: '192.0.2.1', try: 0, msg: 'a wrong token' },
      { ...warn, address: '192.0.2.2', msg: 'a wrong token' },
      { ...warn, address: '192.0.2.1', msg: 'a wrong sign-in' },
      { ...warn, address: '192.0.2.1', more: 99, msg: 'a wrong token' },
    ]);
  });

  it('writes at most 61 lines a minute, however many addresses there are', () => {
    const { lines, note, pass } = noted();
    for (let i = 0; i < 5_000; i++) note('a wrong token', `2001:db8:${i.toString(16)}::`);
    expect(lines).toHaveLength(61);
    expect(lines.at(-1)).toEqual({ level: 40, msg: 'refusals exceed the lines per minute of this log' });
    pass(60_000);
    note('a wrong token', '192.0.2.1');
    expect(lines).toHaveLength(62);
  });
});
