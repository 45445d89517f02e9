import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { parisDayOf, startOfParisDay } from '../platform/paris-time.ts';
import { dayWindowOf, spansOf } from './day-window.ts';

const at = (text: string) => new Date(text);

describe('a period as whole days and parts of days', () => {
  it.each([
    // Paris days begin at 23:00 in winter and at 22:00 in summer.
    ['2026-11-02T23:00Z', '2026-11-04T23:00Z', '2026-11-03 2026-11-05', []],
    ['2026-08-29T22:00Z', '2026-11-02T23:00Z', '2026-08-30 2026-11-03', []],
    // Until now: the whole day, less what comes after.
    ['2026-11-19T23:00Z', '2026-11-20T09:00Z', '2026-11-20 2026-11-21', ['-09:00 23:00']],
    // Parts of the first day: the shorter way.
    ['2026-11-19T08:00Z', '2026-11-20T23:00Z', '2026-11-19 2026-11-21', ['-23:00 08:00']],
    ['2026-11-19T20:00Z', '2026-11-20T23:00Z', '2026-11-20 2026-11-21', ['+20:00 23:00']],
    ['2026-11-19T08:00Z', '2026-11-19T10:00Z', '', ['+08:00 10:00']],
    ['2026-11-19T08:00Z', '2026-11-19T08:00Z', '', []],
  ])('%s to %s', (from, to, days, parts) => {
    const window = dayWindowOf({ from: at(from), to: at(to) });
    const clock = (date: Date) => date.toISOString().slice(11, 16);
    expect(window.days.from === window.days.to ? '' : `${window.days.from} ${window.days.to}`).toBe(days);
    expect(window.parts.map((p) => `${p.sign > 0 ? '+' : '-'}${clock(p.from)} ${clock(p.to)}`)).toEqual(
      parts,
    );
  });

  it.each([
    ['2026-11-20', '2026-11-20', []],
    ['2026-11-20', '2026-11-21', ['1 2026-11-20 2026-11-21']],
    // 9792 days after 2000-01-01, a multiple of 64.
    ['2026-10-23', '2026-12-26', ['64 2026-10-23 2026-12-26']],
    [
      '2026-10-30',
      '2026-11-05',
      ['1 2026-10-30 2026-10-31', '4 2026-10-31 2026-11-04', '1 2026-11-04 2026-11-05'],
    ],
    ['1999-12-30', '2000-01-02', ['1 1999-12-30 2000-01-02']],
  ])('days from %s to %s are the spans %j', (from, to, expected) => {
    expect(spansOf({ from, to }).map((one) => `${one.length} ${one.from} ${one.to}`)).toEqual(expected);
  });

  it('days are made of few spans, each day in one', () => {
    const day = fc.integer({ min: -100, max: 12_000 });
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 181 }), (first, length) => {
        const start = Temporal.PlainDate.from('2000-01-01').add({ days: first });
        const spans = spansOf({ from: `${start}`, to: `${start.add({ days: length })}` });
        let at = start;
        let count = 0;
        for (const one of spans) {
          for (; `${at}` < one.to; at = at.add({ days: one.length })) count += 1;
          expect(`${at}`).toBe(one.to);
        }
        expect(`${at}`).toBe(`${start.add({ days: length })}`);
        expect(count).toBeLessThanOrEqual(20);
      }),
    );
  });

  it('holds every instant of the period once, and no other', () => {
    const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) });
    fc.assert(
      fc.property(instant, instant, fc.array(instant, { minLength: 1 }), (a, b, others) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const window = dayWindowOf({ from: at(new Date(from).toISOString()), to: new Date(to) });
        const around = [from, to].flatMap((one) => [
          one - 1,
          one,
          startOfParisDay(parisDayOf(new Date(one))).getTime(),
        ]);
        for (const one of [...others, ...around]) {
          const day = parisDayOf(new Date(one)).toString();
          const inDays = day >= window.days.from && day < window.days.to ? 1 : 0;
          const inParts = window.parts
            .filter((part) => one >= part.from.getTime() && one < part.to.getTime())
            .reduce((sum, part) => sum + part.sign, 0);
          expect(inDays + inParts).toBe(one >= from && one < to ? 1 : 0);
        }
      }),
    );
  });
});
