import { Readable } from 'node:stream';
import { decoded } from '../files/code-page.ts';
import { type CsvShape, CsvSplitter } from '../files/csv-splitter.ts';
import { dateReader } from '../imports/date-format.ts';

/** The reader of a hostile file, and the text that it repeats. */
interface Reader {
  readonly name: string;
  readonly pieces: readonly string[];
  read(text: string): unknown;
}

/** Chunks as files arrive. */
const chunk = 16_384;

function csvReader(name: string, shape: Partial<CsvShape>, pieces: readonly string[]): Reader {
  const whole = { delimiter: ';', qualifier: '"', rowDelimiter: 'lines', ...shape };
  const read = (text: string) => {
    const splitter = new CsvSplitter(whole);
    let records = 0;
    for (let at = 0; at < text.length; at += chunk)
      for (const group of splitter.push(text.slice(at, at + chunk))) records += group.length;
    for (const group of splitter.end()) records += group.length;
    return records;
  };
  return { name, pieces, read };
}

const csvPieces = [
  ...['"', '""', ';', '";', '"a"b', '\n', '"a\n', '"a"\n', 'x;""y\n', '"""\n', '"""a\n', 'x', '\r', '\r\n'],
  ...['";"\n', 'a;"b\n', '"a";"b"\n', 'a"', '\0', '\ufffd\n', ' "', '"\r\n"'],
];

async function decode(text: string, codePage: number): Promise<number> {
  const bytes = Buffer.from(text, 'latin1');
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, i) =>
    bytes.subarray(i * chunk, (i + 1) * chunk),
  );
  let length = 0;
  try {
    for await (const piece of decoded(Readable.from(chunks), codePage)) length += piece.length;
  } catch {
    // Refused at its end, as UTF-8 that was named otherwise.
  }
  return length;
}

const bytePieces = [
  ...['a', '\xc3', '\xc3\xa9', '\xa9', '\xe2\x82', '\xf0\x9f\x98\x80', '\xff', '\xff\xfe', '\x81'],
  ...['\x81\x40'],
  ...['\x81\x30', '\x81\x30\x81\x30', '\x00', '+', '-', '+-', '+AAA', '+AAA-', '+2D0-', 'aaaa-'],
];
const datePieces = [
  ...['1', '12', '1/', '01/', '2026-', '2026-01-01', '2026-01-01T00:00', ' ', 'T', '.1', ':00'],
  ...['+01:00'],
];
const formats = ['', 'dd/MM/yyyy', 'd/M/yy H:mm:ss', 'dMyyyyHmmss', 'yyyy-MM-ddTHH:mm:ss', 'd.M.yyyy HHhmm'];

const readers: readonly Reader[] = [
  csvReader('csv', {}, csvPieces),
  csvReader('csv without qualifier', { qualifier: '' }, csvPieces),
  csvReader('csv of long signs', { delimiter: 'aab', rowDelimiter: 'aac' }, [
    'a',
    'aa',
    'aab',
    '"aab',
    'aac',
    '"a"aa',
  ]),
  ...[1252, 932, 950, 1200, 20932, 54936, 65000, 65001].map((codePage) => ({
    name: `code page ${codePage}`,
    pieces: bytePieces,
    read: (text: string) => decode(text, codePage),
  })),
  ...formats.map((format) => ({
    name: `date ${format || 'ISO 8601'}`,
    pieces: datePieces,
    read: (text: string) => dateReader(format)!(text),
  })),
  {
    name: 'format of a date',
    pieces: ['d', 'dd/', 'yyyy', '\\', '(', ' ', 'é', 'T', 'HHh', '.*'],
    read: dateReader,
  },
];

/** Characters of the shorter one of two texts; the longer one has four times as many. */
const shorter = 120_000;
/** Milliseconds that count at least: less is of what the process does beside it. */
const least = 2;

/** Milliseconds of this process's own processor time, the least of some runs: the first ones also compile the code. */
async function costOf(work: () => unknown): Promise<number> {
  let cost = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 4; i++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    cost = Math.min(cost, (user + system) / 1_000);
  }
  return Math.max(cost, least);
}

/**
 * How much more each reader takes for four times as much of a hostile text: about 4 when its time grows with the text,
 * 16 when it grows with its square. Run by `node --import tsx src/testing/reading-costs.ts`; prints one JSON line
 * `[reader, piece, times][]`, the worst first.
 */
async function main(): Promise<void> {
  const growths: [string, string, number][] = [];
  for (const { name, pieces, read } of readers) {
    for (const piece of pieces) {
      const text = (length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
      const [short, long] = [text(shorter), text(4 * shorter)];
      const before = await costOf(() => read(short));
      growths.push([name, piece, (await costOf(() => read(long))) / before]);
    }
  }
  process.stdout.write(`${JSON.stringify(growths.sort((a, b) => b[2] - a[2]))}\n`);
}

await main();
