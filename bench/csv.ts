/**
 * Megabytes of CSV cut into records per second, by the splitter of imports and by csv-parse on the same text in the
 * same run, in turns. 12 columns, some quoted cells with delimiters and doubled quotes in them.
 *
 *   npx tsx bench/csv.ts [megabytes]
 */
import { parse } from 'csv-parse';
import { CsvSplitter } from '../src/files/csv-splitter.ts';
import { inTurns } from './measure.ts';

const megabytes = Number(process.argv[2] ?? 30);
const rounds = 3;
const pieceLength = 64 * 1024;
const line = (n: number) =>
  `reader-${n}@example.com;"Zoë ""Z"" ${n}";Besançon;"a;b";${n};0;2026-11-20;;x;y;some longer text here;end\r\n`;

let text = '';
for (let n = 0; text.length < 1_000_000; n++) text += line(n);
const pieces: string[] = [];
for (let mb = 0; mb < megabytes; mb++) {
  for (let at = 0; at < text.length; at += pieceLength) pieces.push(text.slice(at, at + pieceLength));
}
const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);

function ours(): number {
  const splitter = new CsvSplitter({ delimiter: ';', qualifier: '"', rowDelimiter: 'lines' });
  let records = 0;
  for (const piece of pieces) for (const group of splitter.push(piece)) records += group.length;
  for (const group of splitter.end()) records += group.length;
  return records;
}

async function library(): Promise<number> {
  const parser = parse({
    ...{ delimiter: ';', quote: '"', escape: '"', record_delimiter: ['\r\n', '\n'], relax_quotes: true },
    relax_column_count: true,
  });
  let records = 0;
  parser.on('readable', () => {
    while (parser.read() !== null) records++;
  });
  const ended = new Promise<void>((resolve, reject) => parser.once('end', resolve).once('error', reject));
  for (const piece of pieces) {
    if (!parser.write(piece)) await new Promise((resolve) => parser.once('drain', resolve));
  }
  parser.end();
  await ended;
  return records;
}

for (const [name, run] of Object.entries({ ours, library }))
  console.log(`${name}: ${await run()} records of ${Math.round(bytes / 1e6)} MB`);
const times = await inTurns(rounds, ours, library);
const [own, theirs] = [bytes / 1e3 / times.ours, bytes / 1e3 / times.theirs];
console.log(
  `splitter ${own.toFixed(0)} MB/s, csv-parse ${theirs.toFixed(0)} MB/s, ratio ${(own / theirs).toFixed(1)}`,
);
