import { htmlLinks, isWebAddress, textLinks } from '../contents/html-links.ts';
import { scanHtml } from '../contents/html-scanner.ts';
import { compileTags } from '../contents/tag-language.ts';
import { scanTags, withoutTags } from '../contents/tag-scanner.ts';
import { normaliseEmail } from '../subscribers/email-address.ts';

/** Everything that looks for something in a text that a stranger or a user wrote. */
const scanners: Readonly<Record<string, (text: string) => unknown>> = {
  scanTags,
  withoutTags,
  scanHtml,
  htmlLinks,
  textLinks: (text) => textLinks(text),
  isWebAddress,
  normaliseEmail,
  compileHtml: (text) => compileTags(text, { kind: 'html' }),
  compileText: (text) => compileTags(text, { kind: 'text' }),
  compileHeader: (text) => compileTags(text, { kind: 'header' }),
  compileUrl: (text) => compileTags(text, { kind: 'url' }),
};

const repeated = [
  ...['a@a@a', '@', 'a.', 'xn--', '=?utf-8?', '"', ' ', '\n'],
  ...['[', '[[', '[[[[', '[[]]', ']][[', '[[a]]', '[[a ', '\t [', '[[ELSE]]', '[[END]]', '[[BLOC.a]]'],
  ...[
    '[[FLD.1]]',
    '[[FLD.1|',
    '[[IF FLD.1 Equal "a"]]',
    '[[IF FLD.1 Equal "a"]][[END]]',
    '[[DATA.a.fld1.fld1]]',
  ],
  ...[
    '<',
    '<a\n',
    '<a href="',
    '<a href=http://x.fr>',
    '<a href="[[FLD.1]]">',
    "<a a='",
    '<body>',
    '</body>',
  ],
  ...['<!--', '<!--[if ', '<!--[if x]>', '<!--[if x]><a href="http://x"><![endif]-->', '<style>', '<script>'],
  ...[
    '&',
    '&amp;',
    '&#',
    'http://',
    'http://a ',
    'http://a(',
    'http://)))',
    'http://a.b/[[FLD.1]] ',
    'http://é% ',
    'https://é.fr/é ',
  ],
];
const megabyte = 1_000_000;
const texts: readonly string[] = [
  ...repeated.map((piece) => piece.repeat(Math.ceil(megabyte / piece.length)).slice(0, megabyte)),
  `https://a.fr/${')'.repeat(megabyte)}`,
  `<a href="https://a.fr/${' '.repeat(megabyte)}b">x</a>`,
  `<a href="https://a.fr/${'\n'.repeat(megabyte)}b">x</a>`,
  `<a href="${' '.repeat(megabyte / 2)}[[FLD.1]]${' '.repeat(megabyte / 2)}b">x</a>`,
  `[[IF FLD.1${' '.repeat(megabyte)}x]]`,
  `${'['.repeat(megabyte)}]]`,
];

/** Milliseconds of this process's own processor time: other processes do not count. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Each scanner on a megabyte of each text: the least of five runs, since the first ones also compile the code.
 * Run by `node --import tsx src/testing/scan-costs.ts`; prints one JSON line `[scanner, beginning of the text, ms][]`,
 * the dearest first.
 */
function main(): void {
  const costs = Object.entries(scanners).flatMap(([name, scan]) =>
    texts.map((text): [string, string, number] => {
      const runs = Array.from({ length: 5 }, () => costOf(() => scan(text)));
      return [name, text.slice(0, 50), Math.min(...runs)];
    }),
  );
  process.stdout.write(`${JSON.stringify(costs.sort((a, b) => b[2] - a[2]))}\n`);
}

main();
