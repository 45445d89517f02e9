import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { instantOfParisTime } from '../platform/paris-time.ts';
import { dateReader } from './date-format.ts';

const read = (format: string, text: string) => dateReader(format)?.(text)?.toISOString();

describe('dateReader', () => {
  it.each([
    ['dd/MM/yyyy', '01/07/2026', '2026-06-30T22:00:00.000Z'],
    ['dd/MM/yyyy HH:mm', '31/12/2026 23:59', '2026-12-31T22:59:00.000Z'],
    ['d/M/yy H:mm:ss', '1/7/26 9:05:07', '2026-07-01T07:05:07.000Z'],
    ['d/M/yy', '1/7/70', '1970-06-30T23:00:00.000Z'],
    ['d/M/yy', '1/7/69', '2069-06-30T22:00:00.000Z'],
    ['dd/MM/yyyy HHhmm', '01/07/2026 14h30', '2026-07-01T12:30:00.000Z'],
    ['yyyy-MM-ddTHH:mm:ss', '2026-07-01T14:30:05', '2026-07-01T12:30:05.000Z'],
    ['yyyyMMdd', '20260701', '2026-06-30T22:00:00.000Z'],
    ['yyyy.MM.dd', '2026.07.01', '2026-06-30T22:00:00.000Z'],
    ['', '2026-07-01', '2026-06-30T22:00:00.000Z'],
    ['', '2026-07-01 12:30', '2026-07-01T10:30:00.000Z'],
    ['', '2026-07-01T12:30:00.5', '2026-07-01T10:30:00.000Z'],
    ['', '2026-07-01T12:30:00Z', '2026-07-01T12:30:00.000Z'],
    ['', '2026-07-01 12:30:00+0530', '2026-07-01T07:00:00.000Z'],
    // The spring change skips 02:30; in autumn 02:30 comes twice and the first is meant.
    ['dd/MM/yyyy HH:mm', '29/03/2026 02:30', '2026-03-29T01:30:00.000Z'],
    ['dd/MM/yyyy HH:mm', '25/10/2026 02:30', '2026-10-25T00:30:00.000Z'],
    ['dd/MM/yyyy HH:mm', '25/10/2026 03:00', '2026-10-25T02:00:00.000Z'],
  ])('%s: %s is %s', (format, text, instant) => {
    expect(read(format, text)).toBe(instant);
  });

  it.each([
    ['dd/MM/yyyy', '31/02/2026'],
    ['dd/MM/yyyy', '00/01/2026'],
    ['dd/MM/yyyy', '01/13/2026'],
    ['dd/MM/yyyy', '1/7/2026'],
    ['dd/MM/yyyy', '01-07-2026'],
    ['dd/MM/yyyy', '01/07/2026 '],
    ['dd/MM/yyyy HH:mm', '01/07/2026 24:00'],
    ['dd.MM.yyyy', '01x07x2026'],
    ['', '01/07/2026'],
    ['', '2026-02-30T00:00:00Z'],
    ['', 'now'],
  ])('%s: %s is invalid', (format, text) => {
    expect(read(format, text)).toBeUndefined();
  });

  it.each([
    'MM/yyyy',
    'dd/MM',
    'dd/MM/yyyy dd',
    'yy yyyy MM dd',
    'x',
    'dd/MM/yyyy hh:mm',
    'dd/MM/yyyy HH:mm tt',
  ])('%s is no format', (format) => {
    expect(dateReader(format)).toBeUndefined();
  });

  it('agrees with Temporal on every hour of two years', () => {
    let time = Temporal.PlainDateTime.from('2025-01-01T00:30');
    for (let i = 0; i < 2 * 8_760; i++, time = time.add({ hours: 1 })) {
      expect(read('', time.toString().slice(0, 16))).toBe(instantOfParisTime(time).toISOString());
    }
  });
});
