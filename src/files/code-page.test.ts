import { Readable } from 'node:stream';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decoded, encodingOf } from './code-page.ts';

async function decode(bytes: Buffer, codePage: number, size = 5): Promise<string> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  let text = '';
  for await (const piece of decoded(Readable.from(pieces), codePage)) text += piece;
  return text;
}

const western = 'Élodie Nuñez; Größe; «Ça»';
const cyrillic = 'Пётр Ильич; Москва';
const greek = 'Ελλάδα; Αθήνα';
const czech = 'Příliš žluťoučký kůň; Łódź';
const turkish = 'İstanbul; ığüşöç';
const japanese = '東京; さくら; カナ';
const simplified = '北京; 客户';
const traditional = '臺北; 客戶';
const korean = '서울; 고객';
const hebrew = 'שלום; ירושלים';
const arabic = 'مرحبا; القاهرة';

/** Bytes written by hand from each page's chart, where the page is a common one: what iconv-lite says is not enough. */
const known: [number, string, string][] = [
  [1252, '80 c9 9c', '€Éœ'],
  [28591, 'c9 e9', 'Éé'],
  [28605, 'a4 bd', '€œ'],
  [850, '90 82 9b', 'Ééø'],
  [858, 'd5', '€'],
  [437, '90 e1', 'Éß'],
  [1250, 'd8 9a', 'Řš'],
  [28592, 'd8 b9', 'Řš'],
  [1251, 'cf b8', 'Пё'],
  [20866, 'f0 a3', 'Пё'],
  [1253, 'c5 dc', 'Εά'],
  [1254, 'dd fd', 'İı'],
  [1255, 'f9 ed', 'שם'],
  [1256, 'e3', 'م'],
  [1257, 'd0', 'Š'],
  [932, '93 8c 8b 9e b6', '東京ｶ'],
  [936, 'b1 b1 be a9', '北京'],
  [949, 'bc ad bf ef', '서울'],
  [950, 'bb 4f a5 5f', '臺北'],
  [54936, '81 30 81 30', '\u0080'],
  [10000, '83 8e', 'Éé'],
  [1200, 'c9 00 ac 20', 'É€'],
  [1201, '00 c9 20 ac', 'É€'],
  [12000, '00 f6 01 00', '\u{1f600}'],
  [65001, 'c3 89 f0 9f 98 80', 'É\u{1f600}'],
];

/** A text that each page holds, there and back through iconv-lite. */
const samples: [string, string, number[]][] = [
  ['Western', western, [1252, 28591, 28605, 850, 858, 10000, 65000, 65001, 1200, 1201, 12000, 12001]],
  ['Cyrillic', cyrillic, [1251, 866, 855, 28595, 20866, 21866, 10007]],
  ['Greek', greek, [1253, 28597, 737, 869, 10006]],
  ['Central European', czech, [1250, 852, 28592, 10029]],
  ['Turkish', turkish, [1254, 857, 28599, 10081]],
  ['Japanese', japanese, [932, 20932, 51932]],
  ['simplified Chinese', simplified, [936, 51936, 20936, 54936]],
  ['traditional Chinese', traditional, [950, 951]],
  ['Korean', korean, [949, 51949]],
  ['Hebrew', hebrew, [1255, 862, 28598, 38598]],
  ['Arabic', arabic, [1256, 28596, 708, 720]],
];

describe('decoded', () => {
  it.each(known)('knows the bytes of code page %i: %s', async (codePage, hex, text) => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    // Behind it, an accented letter with a plain one: no UTF-8.
    const whole = Buffer.concat([bytes, Buffer.from('\xe9a\0\0', 'latin1')]);
    for (const size of [1, 5]) expect((await decode(whole, codePage, size)).slice(0, text.length)).toBe(text);
  });

  it.each(samples)('brings %s text back in each of its pages', async (_what, text, codePages) => {
    for (const codePage of codePages) {
      const bytes = iconv.encode(text, encodingOf(codePage)!);
      for (const size of [1, 7, 1_000])
        expect([codePage, await decode(bytes, codePage, size)]).toEqual([codePage, text]);
    }
  });

  it('knows every page that iconv-lite knows by a number, and no other', async () => {
    const numbers = Array.from({ length: 65_536 }, (_, i) => i).filter((codePage) => encodingOf(codePage));
    const unknown = numbers.filter((codePage) => !iconv.encodingExists(encodingOf(codePage)!));
    const named = numbers.filter((codePage) => iconv.encodingExists(`cp${codePage}`));
    const iconvs = Array.from({ length: 65_536 }, (_, i) => i).filter((i) => iconv.encodingExists(`cp${i}`));
    expect([unknown, named]).toEqual([[], iconvs]);
    expect(numbers.length).toBeGreaterThan(75);
    for (const codePage of [0, 37, 500, 12345, 50220, 65002]) expect(encodingOf(codePage)).toBeUndefined();
    await expect(decode(Buffer.from('a'), 37)).rejects.toThrow('The code page 37 is not known');
  });

  it.each(['utf8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be', 'gb18030'])(
    'honours the mark of %s, whatever page was named',
    async (encoding) => {
      for (const size of [1, 2, 3, 4, 50]) {
        const bytes = iconv.encode(`\ufeff${western}`, encoding);
        expect(await decode(bytes, 1252, size)).toBe(western);
      }
    },
  );
});

describe('a file in UTF-8 that is named as another one', () => {
  const utf8 = (text: string) => Buffer.from(text);
  it.each([1252, 850, 28591, 1251, 10000])('is refused for code page %i', async (codePage) => {
    for (const size of [1, 2, 3, 50]) {
      await expect(decode(utf8('name\nÉlodie €\n\u{1f600}\n'), codePage, size)).rejects.toThrow(
        `The file is written in UTF-8 (code page 65001), not in code page ${codePage}`,
      );
    }
  });

  it.each<[string, Buffer, number]>([
    ['plain ASCII', utf8('name\nAda\n'), 1252],
    ['one letter of another page', Buffer.concat([utf8('É'), Buffer.from('\xe9t\xe9', 'latin1')]), 1252],
    ['half a letter at its end', utf8('É').subarray(0, 1), 1252],
    ['a page of several bytes a character', iconv.encode('北京', 'gbk'), 936],
    ['a page that reads its bytes otherwise', utf8('\u8336'), 936],
  ])('is not found in %s', async (_what, bytes, codePage) => {
    for (const size of [1, 50])
      expect(await decode(bytes, codePage, size)).toBe(iconv.decode(bytes, encodingOf(codePage)!));
  });
});
