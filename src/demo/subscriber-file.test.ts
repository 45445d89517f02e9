import { domainToUnicode } from 'node:url';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { makeNameFile } from './name-file.ts';
import { scripts } from './people.ts';
import { makeSubscriberFile } from './subscriber-file.ts';

/** Unicode's names for the letters of each script of the demo. */
const letters: Readonly<Record<string, RegExp>> = {
  Greek: /\p{sc=Greek}/u,
  Cyrillic: /\p{sc=Cyrillic}/u,
  Arabic: /\p{sc=Arabic}/u,
  Hebrew: /\p{sc=Hebrew}/u,
  Chinese: /\p{sc=Han}/u,
  Japanese: /[\p{sc=Hiragana}\p{sc=Katakana}]/u,
  Korean: /\p{sc=Hangul}/u,
  Thai: /\p{sc=Thai}/u,
  Devanagari: /\p{sc=Devanagari}/u,
};

describe('the files of the demo', () => {
  const file = makeSubscriberFile(2_000);
  const names = makeNameFile(file.subscribers.values());
  const linesOf = (text: string) => text.trimEnd().split('\r\n');

  it('are the same each time', () => {
    const again = makeSubscriberFile(2_000);
    expect(again.bytes.equals(file.bytes)).toBe(true);
    expect(makeNameFile(again.subscribers.values()).bytes.equals(names.bytes)).toBe(true);
  });

  it('lose no letter in code page 1252', () => {
    const text = iconv.decode(file.bytes, 'win1252');
    expect(text).toContain('Žofia');
    expect(text).not.toContain('?');
  });

  it('hold domains of every script, in ASCII first and then as they are read', () => {
    const domainsOf = (text: string) =>
      new Set([...text.matchAll(/;[\w-]+@([^;]+);/g)].map(([, domain = '']) => domain.toLowerCase()));
    const first = [...domainsOf(iconv.decode(file.bytes, 'win1252'))].map(domainToUnicode);
    const second = [...domainsOf(names.bytes.toString('utf8'))];
    expect(scripts.map(({ name }) => name)).toEqual(Object.keys(letters));
    for (const { name, domain, people } of scripts) {
      expect(domain).toMatch(letters[name]!);
      expect(first).toContain(domain);
      expect(second).toContain(domain);
      for (const { own } of people) {
        expect(own.firstName).toMatch(letters[name]!);
        expect(names.bytes.toString('utf8')).toContain(`${own.firstName};`);
      }
    }
  });

  it('report the positions of their bad rows', () => {
    const [head, ...rows] = linesOf(iconv.decode(file.bytes, 'win1252'));
    const isBad = (row: string) => row.startsWith('Nobody');
    expect(head).toBe('firstname;email;city;points;status');
    expect(rows).toHaveLength(file.log.totalRows);
    const bad = rows.flatMap((row, index) => (isBad(row) ? [index + 2] : []));
    expect(file.log.badFormattedRowNumbers).toBe(bad.join(','));
    expect([file.log.nbErrorRows, file.log.nbBadFormattedRows, file.log.totalDuplicateKeys]).toEqual([
      5, 5, 4,
    ]);
    expect(file.log.totalRows).toBe(file.subscribers.size + 5 + 5 + 4);
    expect(new Set(rows.filter(isBad)).size).toBe(10);
  });
});
