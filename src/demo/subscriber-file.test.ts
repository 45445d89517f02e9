import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { makeSubscriberFile } from './subscriber-file.ts';

describe('the file of the demo', () => {
  const file = makeSubscriberFile(2_000);

  it('is the same each time', () => {
    expect(makeSubscriberFile(2_000).bytes.equals(file.bytes)).toBe(true);
  });

  it('loses no letter in code page 1252', () => {
    const text = iconv.decode(file.bytes, 'win1252');
    expect(text).toContain('Žofia');
    expect(text).not.toContain('?');
  });

  it('counts its rows', () => {
    expect(file.rows).toBe(file.subscribers.size + file.badRows + file.doubleRows);
    expect([file.badRows, file.doubleRows]).toEqual([2, 4]);
  });
});
