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
import { normalSubfolder } from '../files/repository.ts';
import { readIso } from '../imports/date-format.ts';
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
import { contentTexts, markupTexts, repeated } from './hostile-contents.ts';
import { complaint, dsn, plain } from './reports.ts';

/** Scanners, and texts that each of them is given. */
interface Trial {
  readonly scanners: Readonly<Record<string, (text: string) => unknown>>;
  readonly texts: (size: number) => readonly string[];
  /** Characters of a text: a million, or the most that can reach the scanner. */
  readonly size: number;
  /** Milliseconds that no text may take; 50 if omitted. */
  readonly mostMs?: number;
  /** The cost may grow faster than the text. */
  readonly isQuadratic?: boolean;
}

const megabyte = 1_000_000;
/** The first half of a text at the positions 1 to 4. */
const placedHalf = (text: string) =>
  new Map([1, 2, 3, 4].map((id) => [id, { id, html: text.slice(0, text.length / 2) }]));

const ignore = (): void => {};
const allVisitor = { attribute: ignore, openingTag: ignore, comment: ignore, style: ignore };

/** Scanners of what users write. */
const contents: Trial = {
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
};

/**
 * Everything that reads HTML as a browser does. Building its tree is bounded by nodes and depth (html-parser.ts), and
 * happens where contents are saved, checked and frozen, not for each message.
 */
const markup: Trial = {
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
};

/** Scanners of requests and files. */
const requests: Trial = {
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
};

/** Bodies of the unsubscription form, and what goes into headers or came in one: Node takes no longer ones. */
const forms: Trial = {
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
};

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

/** Words of a report that has been read. */
const rules: Trial = {
  scanners: {
    bounceRules: (text) => classify(evidence('notice', text)),
    refusalRules: (text) => classify(evidence('refusal', text)),
  },
  texts: reportPieces,
  size: megabyte,
};

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

/** Messages to a return path, which any sender can write; one that the parser gives up is dropped. */
const reports: Trial = {
  scanners: {
    readReport: (raw) => readReport(Buffer.from(raw), { isNullSender: true }).then(classify, () => undefined),
  },
  texts: (size) => reportPlaces.flatMap((place) => reportPieces(size).map(place)),
  size: megabyte,
};

/** The head of the message that a report is about. */
const claims: Trial = {
  scanners: { signedClaims },
  texts: repeated([
    ...['b-', 'b-a', 'b-aaaaaaaa', 'a', '/u/', '/u/-', '/u/a/u', '-', `b-${'a'.repeat(40)} `],
  ]),
  size: megabyte,
};

const list = Array.from({ length: 10_000 }, (_, key) => ({ key, value: `v${key}` }));
const listField = makeField(102, { name: 'b', fieldType: 'List', list });

/** Keys that a call or a file gives, and unknown names, for a list of the greatest length. */
const keys: Trial = {
  scanners: {
    listValues: (text) => text.match(/\d+/g)?.map((key) => parseValue(listField, Number(key))),
    fileKeys: (text) => text.split(',').map((cell) => comparisonOf(listField)?.read(cell, listField)),
  },
  texts: repeated(['9999,', 'nobody,']),
  size: megabyte / 10,
};

const fields = new Map<number, Field>([[101, makeField(101, { name: 'a', fieldType: 'Text', length: 255 })]]);
const parser = await sqlParser();

/** SQL filters, the longest that are taken. Most of these texts are refused. */
const expressions: Trial = {
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
  isQuadratic: true,
};

/** How long after its start the process retries what took too much. */
const patienceMs = 180_000;
/** Below this a cost says nothing about how it grows. */
const measurableMs = 10;
const runs = 5;
/** A cost below this needs no further run; of parsers, which may take longer, half of what they may. */
const enoughMs = (mostMs: number): number => (mostMs > 50 ? mostMs / 2 : measurableMs);

/**
 * Milliseconds of this process's own processor time: other processes do not count. The least of some runs, since the
 * first ones also compile the code; one is enough when it takes little, and more are made of one that takes too much.
 */
async function costOf(scan: (text: string) => unknown, text: string, mostMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < (least < mostMs ? runs : 4 * runs) && least >= enoughMs(mostMs); run++) {
    const before = process.cpuUsage();
    await scan(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** A part of a text keeps all of it in memory, and a gigabyte of them makes the collector part of what is measured. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/**
 * Each scanner on each of its texts, and on one a quarter as long where the cost can be compared.
 * Run by `node --import tsx src/testing/scan-costs.ts`; prints one JSON line `[scanner, beginning and middle of the
 * text, ms, ms of the quarter or null, ms that it may take][]`, the dearest first.
 */
async function main(): Promise<void> {
  const costs: [string, string, number, number | null, number][] = [];
  const tooDear: (() => Promise<void>)[] = [];
  for (const { scanners, texts, size, mostMs = 50, isQuadratic = false } of [
    contents,
    markup,
    requests,
    forms,
    rules,
    reports,
    claims,
    keys,
    expressions,
  ]) {
    const quarters = texts(size / 4);
    for (const [name, scan] of Object.entries(scanners))
      for (const [i, text] of texts(size).entries()) {
        const cost = await costOf(scan, text, mostMs);
        const isCompared = cost >= enoughMs(mostMs) && !isQuadratic;
        const quarter = isCompared ? await costOf(scan, quarters[i]!, mostMs) : null;
        const shown = copyOf(`${text.slice(0, 30)} … ${text.slice(text.length / 2, text.length / 2 + 30)}`);
        const entry: (typeof costs)[number] = [name, shown, cost, quarter, mostMs];
        costs.push(entry);
        // A machine that others use is slow for seconds at a time, longer than all runs of one text take.
        tooDear.push(async () => {
          if (entry[2] >= mostMs) entry[2] = Math.min(entry[2], await costOf(scan, texts(size)[i]!, mostMs));
        });
      }
  }
  const isTooDear = () => costs.some(([, , ms, , mostMs]) => ms >= mostMs);
  while (isTooDear() && performance.now() < patienceMs) for (const again of tooDear) await again();
  process.stdout.write(`${JSON.stringify(costs.sort((a, b) => b[2] - a[2]))}\n`);
}

await main();
