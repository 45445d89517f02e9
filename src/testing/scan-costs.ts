import { Readable } from 'node:stream';
import type { Evidence } from '../activity/bounce-evidence.ts';
import { classify } from '../activity/bounce-rules.ts';
import { classifyHit, isMobileAgent } from '../activity/hit-class.ts';
import { readReport } from '../bounces/report.ts';
import { signedClaims } from '../bounces/signed-claims.ts';
import { htmlLinks, isWebAddress, textLinks } from '../contents/html-links.ts';
import { scanHtml } from '../contents/html-scanner.ts';
import { placeAdvertisements } from '../contents/place-advertisements.ts';
import { strayTags } from '../contents/stray-tags.ts';
import { compileTags } from '../contents/tag-language.ts';
import { maskTags, scanTags, withoutTags } from '../contents/tag-scanner.ts';
import { hasUnsubscriptionLink } from '../contents/unsubscription-link.ts';
import { type Field, makeField } from '../fields/field.ts';
import { parseValue } from '../fields/field-value.ts';
import { decoded } from '../files/code-page.ts';
import { type CsvShape, CsvSplitter } from '../files/csv-splitter.ts';
import { normalSubfolder } from '../files/repository.ts';
import { dateReader, readIso } from '../imports/date-format.ts';
import { addressHeader, isHeaderAddress, textHeader } from '../mail/header-text.ts';
import { cssUrls } from '../pictures/css-urls.ts';
import { htmlPictures } from '../pictures/html-pictures.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { jsonExcess } from '../platform/http/json-bounds.ts';
import { comparisonOf } from '../targets/filters/filter-file.ts';
import { printedExpression } from '../targets/filters/sql-expression.ts';
import { SqlFault } from '../targets/filters/sql-grammar.ts';
import { sqlParser } from '../targets/filters/sql-parser.ts';
import { redirectAddress } from '../tracking/redirect-address.ts';
import { maxFormBytes, readUnsubscribeForm } from '../tracking/unsubscribe-form.ts';
import { complaint, dsn, plain } from './reports.ts';

/** Scanners, and texts that each of them is given. */
interface Trial {
  readonly scanners: Readonly<Record<string, (text: string) => unknown>>;
  readonly texts: (size: number) => readonly string[];
  /** Characters of a text: a million, or the most that can reach the scanner. */
  readonly size: number;
  /** Milliseconds that no text may take; 50 if omitted. */
  readonly mostMs?: number;
  /** A cost below this needs no further run and says nothing about how it grows; 10 if omitted. */
  readonly enoughMs?: number;
  /** The cost may grow faster than the text. */
  readonly isQuadratic?: boolean;
}

const megabyte = 1_000_000;

/** Texts of a size, each made of one piece over and over. */
const repeated = (pieces: readonly string[]) => (size: number) =>
  pieces.map((piece) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size));

const contentPieces = [
  ...['a@a@a', '@', 'a.', 'xn--', '=?utf-8?', '"', ' ', '\n'],
  ...['[', '[[', '[[[[', '[[]]', ']][[', '[[a]]', '[[a ', '\t [', '[[ELSE]]', '[[END]]', '[[BLOC.a]]'],
  ...['[[ENCART.1]]', '[[ENCART.1]][[ENCART.2]]x'],
  ...['[[FLD.1]]', '[[FLD.1|', '[[IF FLD.1 Equal "a"]]', '[[IF FLD.1 Equal "a"]][[END]]'],
  ...['[[DATA.a.fld1.fld1]]', '<', '<a\n', '<a href="', '<a href=http://x.fr>', '<a href="[[FLD.1]]">'],
  ...["<a a='", '<body>', '</body>', '<!--', '<!--[if ', '<!--[if x]>'],
  ...['<!--[if x]><a href="http://x"><![endif]-->', '<style>', '<script>', '&', '&amp;', '&#', 'http://'],
  ...['url(', 'url( ', 'url("', 'url(http://a)', '/*', "url('a' ", '@import ', '@font-face{', '{', '&quot;'],
  ...['<img src="http://a">', '<p style="', '<p style="a:url(http://a)">', 'http://a,', ', ', '</style>'],
  ...["'"],
  ...['<p a=b c=d>', '<p a b c>', '<p style=a>', '<p background="&#1;">', '<a href=x>', '<!-->'],
  ...['<style></style>'],
  ...['url(a)', 'a, ', 'h, ', 'x, ', 'x&lt;, ', '&lt;', '&a;', '<img srcset="a, a">', '<img src="&lt;">'],
  ...['<a href="&lt;">', '<img src=a>'],
  ...['http://a ', 'http://a(', 'http://)))', 'http://a.b/[[FLD.1]] ', 'http://é% ', 'https://é.fr/é '],
];

/** Markup that browsers must repair most: elements that are never closed, that are repeated, moved or looked for. */
const markupTexts = (size: number): readonly string[] => [
  ...repeated([
    ...['<div>', '<p><b>', '<b><p>', '<a><p>', '<table><b>', '<table>a<b>', '<table><td>', '<svg>'],
    ...['<svg><p>', '</p>'],
    ...['<b></p>', '<font a><p></p>', '<form><template>', '<select><option>', '<li><ul>', '<td>'],
    ...['</br>', '<!--a-->'],
    ...['<p style="font-size:0;">a', '<a href=x hidden>', '<svg><title/>', '<math><mi><p>', '<ruby><rt>'],
    ...['<body a>'],
  ])(size),
  // Formatting elements that differ are all repeated in every paragraph.
  `${Array.from({ length: 300 }, (_, i) => `<font a=${i}>`).join('')}${'<p>a</p>'.repeat(size / 8)}`,
  `${Array.from({ length: 500 }, (_, i) => `<b a=${i}>`).join('')}${'</i></b><b>'.repeat(size / 11)}`,
  `<p ${Array.from({ length: size / 8 }, (_, i) => `a${i} `).join('')}>`,
  `<p style="${'a:b;'.repeat(size / 4)}">a`,
  `${'<div>'.repeat(500)}${'</p>'.repeat(size / 4)}`,
  `${'<div>'.repeat(500)}${'</x>'.repeat(size / 4)}`,
];

/** Texts in which tags, addresses and markup are most expensive to find. */
const contentTexts = (size: number): readonly string[] => [
  ...repeated(contentPieces)(size),
  `https://a.fr/${')'.repeat(size)}`,
  `<a href="https://a.fr/${' '.repeat(size)}b">x</a>`,
  `<a href="https://a.fr/${'\n'.repeat(size)}b">x</a>`,
  `<a href="${' '.repeat(size / 2)}[[FLD.1]]${' '.repeat(size / 2)}b">x</a>`,
  `<a href="${' '.repeat(0.9 * size)}${'[[FLD.1]]'.repeat(size / 90)}">x</a>`,
  ...['img src', 'a href', 'p style'].map((place) => `<${place}="${'&lt;a'.repeat(size / 5)}">`),
  `[[IF FLD.1${' '.repeat(size)}x]]`,
  `${'['.repeat(size)}]]`,
];

/** The first half of a text at the positions 1 to 4. */
const placedHalf = (text: string) =>
  new Map([1, 2, 3, 4].map((id) => [id, { id, html: text.slice(0, text.length / 2) }]));

const ignore = (): void => {};
const allVisitor = { attribute: ignore, openingTag: ignore, comment: ignore, style: ignore };

const evidence = (kind: Evidence['kind'], diagnostic: string): Evidence => ({
  ...{ kind, action: '', status: '', subject: '', diagnostic, isServerReply: true },
});
const reportPieces = repeated([
  ...['a ', 'user ', 'user', 'user a a a', 'host name ', 'relaying ', 'auto', '5.', '-', '-- '],
  ...['from: ', '\n', '\n>', '\n--'],
  ...['\nfrom: x\nsent:', '\n a', '\na: b', '\n--b', '\n--b\n\n', '=\n', '=?utf-8?q?a?= ', '(', '"'],
  ...[';a=', ' '],
  ...[': ', ':a', '<a@b>,', ';a*0=b', '\n--b\nContent-Type: multipart/x\n\n'],
]);

const to = 'b-x@mail.test';
const reportPlaces: readonly ((text: string) => string)[] = [
  (text) => dsn({ to, status: '5.0.0', diagnostic: `smtp; ${text}` }),
  (text) => complaint({ to, head: text }),
  (text) => plain({ to, text }),
  (text) => plain({ to, subject: text, text: 'x' }),
  (text) => plain({ to, headers: text, text: 'x' }),
  // As long as a head may be; a longer one is not read.
  (text) => `From: ${text.slice(0, 120_000)}\r\nTo: ${text.slice(0, 120_000)}\r\n\r\nx`,
  (text) => `Content-Type: ${text}\r\n\r\nx`,
  (text) => `Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n${text}`,
];

const list = Array.from({ length: 10_000 }, (_, key) => ({ key, value: `v${key}` }));
const listField = makeField(102, { name: 'b', fieldType: 'List', list });

const fields = new Map<number, Field>([[101, makeField(101, { name: 'a', fieldType: 'Text', length: 255 })]]);
const parser = await sqlParser();

/** Texts as files arrive, in chunks. */
const chunksOf = <T extends string | Buffer>(whole: T): T[] =>
  Array.from({ length: Math.ceil(whole.length / 16_384) }, (_, i) =>
    whole.slice(i * 16_384, (i + 1) * 16_384),
  ) as T[];

const csvReader = (shape: Partial<CsvShape>) => (text: string) => {
  const splitter = new CsvSplitter({ delimiter: ';', qualifier: '"', rowDelimiter: 'lines', ...shape });
  return [...chunksOf(text).map((piece) => [...splitter.push(piece)].length), [...splitter.end()].length];
};

async function decode(text: string, codePage: number): Promise<number> {
  let length = 0;
  try {
    const chunks = Readable.from(chunksOf(Buffer.from(text, 'latin1')));
    for await (const piece of decoded(chunks, codePage)) length += piece.length;
  } catch {
    // Refused at its end, as UTF-8 that was named otherwise.
  }
  return length;
}

/** Readers of files take more than scanners, in proportion to the text. */
const ofFile = { size: megabyte / 2, mostMs: 1_000 };
const formats = ['', 'dd/MM/yyyy', 'd/M/yy H:mm:ss', 'dMyyyyHmmss', 'yyyy-MM-ddTHH:mm:ss', 'd.M.yyyy HHhmm'];
/** Everything that reads what strangers write. */
const trials: readonly Trial[] = [
  // Scanners of what users write.
  {
    scanners: {
      scanTags,
      withoutTags,
      textLinks: (text) => textLinks(text),
      strayTags: (text) => strayTags(text, maskTags(text, scanTags(text).tags)),
      cssUrls: (text) => cssUrls(text, () => true),
      isWebAddress,
      normaliseEmail,
      // Half of a text as the content, half as the advertisement at each of its places.
      placeAdvertisements: (text) => placeAdvertisements(text.slice(text.length / 2), placedHalf(text)),
      compileText: (text) => compileTags(text, { kind: 'text' }),
      compileHeader: (text) => compileTags(text, { kind: 'header' }),
      compileUrl: (text) => compileTags(text, { kind: 'url' }),
    },
    texts: contentTexts,
    size: megabyte,
  },
  // Everything that reads HTML as a browser does. Building its tree is bounded by nodes and depth (html-parser.ts),
  // and happens where contents are saved, checked and frozen, not for each message.
  {
    scanners: {
      scanHtml: (text) => scanHtml(text, allVisitor),
      htmlLinks,
      hasUnsubscriptionLink: (text) => hasUnsubscriptionLink(text, { kind: 'html' }, new Set()),
      htmlPictures,
      htmlPicturesOfStyle: (text) => htmlPictures(`<style>${text}`),
      htmlPicturesOfSrcset: (text) => htmlPictures(`<img srcset="${text}">`),
      compileHtml: (text) => compileTags(text, { kind: 'html' }),
    },
    texts: (size) => [...contentTexts(size), ...markupTexts(size)],
    // Each takes in proportion; a megabyte of each would take minutes.
    size: megabyte / 4,
    mostMs: 150,
    enoughMs: 75,
  },
  // Scanners of requests and files.
  {
    scanners: {
      jsonExcess,
      redirectAddress,
      redirectPath: (text) => redirectAddress(`https://a.fr/${text}`),
      readIso,
      normalSubfolder,
    },
    texts: (size) => [
      ...repeated([
        ...['a', 'a@a@a', '"', '\\"', '[', '[[', '{', '{},', '{"a":', '"a":1,', ']', ',', ' ', '%', 'é'],
        ...['http://', '/', 'a/', '/../', '#', ':', '2026-01-01T', '1', '.'],
      ])(size),
      // A run of slashes is dear for a pattern that looks for one at the end.
      `${'/'.repeat(size - 1)}b`,
    ],
    size: megabyte,
  },
  // Bodies of the unsubscription form, and what goes into headers or came in one: Node takes no longer ones.
  {
    scanners: {
      formParts: (text) => readUnsubscribeForm('multipart/form-data', text),
      form: (text) => readUnsubscribeForm('application/x-www-form-urlencoded', text),
      classifyHit: (text) => classifyHit('GET', text),
      isMobileAgent,
      isHeaderAddress,
      textHeader: (text) => textHeader('Subject', text),
      addressHeader: (text) => addressHeader('From', text, 'a@a.fr'),
    },
    texts: repeated([
      ...['--', '--\n', '--\n\n', '\r\n', '\r\n\r\n', '&', '=', '%', ';', ';name="', 'name=" ;'],
      ...['--\n\r\n\r\n'],
      ...['content-disposition: form-data;', 'content-disposition: form-data;\n', 'content-disposition:\n\n'],
      ...['--\r\ncontent-disposition: form-data; ;', '--\ncontent-disposition: form-data; name="'],
      ...['a', ' ', '(', 'Mozilla/5.0 (', 'bot', 'like ', 'http:/', '/', '; ', 'Google', '\t', 'Version/'],
      ...['compatible; ', 'a/1.0 ', '1.', '+', '@', 'a@', '=?utf-8?q?a?= ', 'é'],
    ]),
    size: maxFormBytes,
  },
  // Words of a report that has been read.
  {
    scanners: {
      bounceRules: (text) => classify(evidence('notice', text)),
      refusalRules: (text) => classify(evidence('refusal', text)),
    },
    texts: reportPieces,
    size: megabyte,
  },
  // Messages to a return path, which any sender can write; one that the parser gives up is dropped.
  {
    scanners: {
      readReport: (raw) =>
        readReport(Buffer.from(raw), { isNullSender: true }).then(classify, () => undefined),
    },
    texts: (size) => reportPlaces.flatMap((place) => reportPieces(size).map(place)),
    size: megabyte,
  },
  // The head of the message that a report is about.
  {
    scanners: { signedClaims },
    texts: repeated([
      ...['b-', 'b-a', 'b-aaaaaaaa', 'a', '/u/', '/u/-', '/u/a/u', '-', `b-${'a'.repeat(40)} `],
    ]),
    size: megabyte,
  },
  // Keys that a call or a file gives, and unknown names, for a list of the greatest length.
  {
    scanners: {
      listValues: (text) => text.match(/\d+/g)?.map((key) => parseValue(listField, Number(key))),
      fileKeys: (text) => text.split(',').map((cell) => comparisonOf(listField)?.read(cell, listField)),
    },
    texts: repeated(['9999,', 'nobody,']),
    size: megabyte / 10,
  },
  // SQL filters, the longest that are taken. Most of these texts are refused.
  {
    scanners: {
      printedExpression(text) {
        try {
          return printedExpression(parser, text, fields);
        } catch (error) {
          if (!(error instanceof SqlFault)) throw error;
          return error;
        }
      },
    },
    texts: (size) => [
      ...repeated([
        ...['(', '((', ')', '[', "'", "''", '"', '$', '$$', '$a$', "e'\\", "U&'\\", '/*', '/**/', '--'],
        ...['--\n', ';'],
        ...['a', 'a.', '1', '1.', '1e', '.', '-', '- ', 'not ', 'case when ', 'a::', '::text', 'fld101 '],
        ...['fld101=', ' '],
        ...['cast(', 'lower(', 'array[', 'select ', '(select ', 'a,', 'in (', ' and ', 'é', '\\'],
      ])(size),
      ...['fld101 = 1 or ', 'fld101 || ', 'not ', 'fld101 like ', '- ', "'a' || "].map(
        (piece) => `${piece.repeat(size / piece.length - 1)}fld101`,
      ),
      `fld101 in (${"'a',".repeat(size / 4 - 5)}'a')`,
      `${'lower('.repeat(size / 8)}fld101${')'.repeat(size / 8)} = 'a'`,
      `${'('.repeat(size / 2 - 8)}fld101${')'.repeat(size / 2 - 8)} is null`,
    ],
    size: 8_000,
    // PostgreSQL's own reader looks at the rest of a run of `/*` again and again; the length is bounded.
    mostMs: 250,
    enoughMs: 125,
    isQuadratic: true,
  },
  {
    scanners: { csv: csvReader({}), csvWithoutQualifier: csvReader({ qualifier: '' }) },
    texts: repeated([
      ...[
        '"',
        '""',
        ';',
        '";',
        '"a"b',
        '\n',
        '"a\n',
        '"a"\n',
        'x;""y\n',
        '"""\n',
        '"""a\n',
        'x',
        '\r',
        '\r\n',
      ],
      ...['";"\n', 'a;"b\n', '"a";"b"\n', 'a"', '\0', '\ufffd\n', ' "', '"\r\n"'],
    ]),
    ...ofFile,
  },
  {
    scanners: { csvOfLongSigns: csvReader({ delimiter: 'aab', rowDelimiter: 'aac' }) },
    texts: repeated(['a', 'aa', 'aab', '"aab', 'aac', '"a"aa']),
    ...ofFile,
  },
  {
    scanners: Object.fromEntries(
      [1252, 932, 950, 1200, 20932, 54936, 65000, 65001].map((codePage) => [
        `codePage${codePage}`,
        (text) => decode(text, codePage),
      ]),
    ),
    texts: repeated([
      ...['a', '\xc3', '\xc3\xa9', '\xa9', '\xe2\x82', '\xf0\x9f\x98\x80'],
      ...['\xff', '\xff\xfe', '\x81', '\x81\x40'],
      ...['\x81\x30', '\x81\x30\x81\x30', '\x00', '+', '-', '+-', '+AAA', '+AAA-', '+2D0-', 'aaaa-'],
    ]),
    ...ofFile,
  },
  {
    scanners: {
      ...Object.fromEntries(formats.map((format) => [`date ${format}`, dateReader(format)!])),
      dateFormat: dateReader,
    },
    texts: repeated([
      ...['1', '12', '1/', '01/', '2026-', '2026-01-01', '2026-01-01T00:00', ' ', 'T', '.1', ':00', '+01:00'],
      ...['d', 'dd/', 'yyyy', '\\', '(', 'é', 'HHh', '.*'],
    ]),
    ...ofFile,
  },
];

/** How long after its start the process retries what took too much. */
const patienceMs = 180_000;
const runs = 5;

/**
 * Milliseconds of this process's own processor time: other processes do not count. The least of some runs, since the
 * first ones also compile the code; one is enough when it takes little, and more are made of one that takes too much.
 */
async function costOf(
  scan: (text: string) => unknown,
  text: string,
  { mostMs = 50, enoughMs = 10 }: Pick<Trial, 'mostMs' | 'enoughMs'>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < (least < mostMs ? runs : 4 * runs) && least >= enoughMs; run++) {
    const before = process.cpuUsage();
    await scan(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** A part of a text keeps all of it in memory, and a gigabyte of them makes the collector part of what is measured. */
const copyOf = (text: string): string => Buffer.from(text).toString();

type Cost = [scanner: string, text: string, ms: number, quarterMs: number | null, mostMs: number];
/** Four times the text in four times the time; the rest is for caches and the collector. Quadratic is sixteen. */
const mostGrowth = 10;
const isTooDear = ([, , ms, quarterMs, mostMs]: Cost) =>
  ms >= mostMs || (quarterMs !== null && ms > mostGrowth * quarterMs);

/**
 * Each scanner on each of its texts, and on one a quarter as long where the cost can be compared.
 * Run by `node --import tsx src/testing/scan-costs.ts`; prints one JSON line with `costs`, the dearest first, each with
 * the beginning and the middle of its text, and `mostGrowth`, by which a cost may exceed that of the quarter.
 */
const costs: Cost[] = [];
const again: (() => Promise<void>)[] = [];
for (const trial of trials) {
  const { scanners, texts, size, mostMs = 50, enoughMs = 10, isQuadratic = false } = trial;
  const quarters = texts(size / 4);
  for (const [name, scan] of Object.entries(scanners))
    for (const [i, text] of texts(size).entries()) {
      const cost = await costOf(scan, text, trial);
      const isCompared = cost >= enoughMs && !isQuadratic;
      const quarter = isCompared ? await costOf(scan, quarters[i]!, trial) : null;
      const shown = copyOf(`${text.slice(0, 30)} … ${text.slice(text.length / 2, text.length / 2 + 30)}`);
      const entry: Cost = [name, shown, cost, quarter, mostMs];
      costs.push(entry);
      // A machine that others use is slow for seconds at a time, longer than all runs of one text take.
      again.push(async () => {
        if (isTooDear(entry)) entry[2] = Math.min(entry[2], await costOf(scan, texts(size)[i]!, trial));
      });
    }
}
while (costs.some(isTooDear) && performance.now() < patienceMs) for (const measure of again) await measure();
costs.sort((a, b) => b[2] - a[2]);
process.stdout.write(`${JSON.stringify({ costs, mostGrowth })}\n`);
