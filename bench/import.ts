/**
 * Imports a CSV of a million subscribers, half of whom are in the table already with other values, through the real
 * path (a file in the site's repository, the task runImport in a process of its own), beside a bare COPY of the same
 * file's rows into an empty table with the same columns, rules and indexes. Same run, same server, settings of serve.
 * Goals, for a million: at most 4 times the bare COPY, below 300 MB.
 *
 * npx tsx bench/import.ts [rows …]        e.g. 125000 250000 500000 1000000, to see how the cost grows
 * npx tsx bench/import.ts --xlsx [rows …] the same rows as a workbook beside the CSV file, 100,000 if omitted
 * npx tsx bench/import.ts --waits [rows …] how long callers of the API wait while the rows are imported, beside the
 * same calls while nothing is; goal: no change waits for more than 2 s
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import copyStreams from 'pg-copy-streams';
import { siteFolderPath } from '../src/files/sftp-server.ts';
import { measuredWork } from '../src/testing/programs.ts';
import type { WorkResult } from '../src/testing/work-process.ts';
import { startBenchDatabase } from './bench-database.ts';
import { type Caller, Callers } from './callers.ts';
import { wantAtMost, wantBelow } from './goal.ts';
import { median, msOf } from './measure.ts';
import { startFacteur } from './two-servers.ts';
import { type CellKind, writeWorkbook } from './workbook.ts';

const goalRows = 1_000_000;
const isXlsx = process.argv.includes('--xlsx');
const isWaits = process.argv.includes('--waits');
const sizes = process.argv.slice(2).map(Number).filter(Number.isInteger);
if (sizes.length === 0) sizes.push(isXlsx ? 100_000 : 1_000_000);
const mapped = {
  ...{ fld1: 'email', fld101: 'firstname', fld102: 'lastname', fld103: 'city', fld40: 'postcode' },
  ...{ fld41: 'country', fld104: 'born', fld105: 'points', fld106: 'vip', fld6: 'origin' },
};
const columns = Object.keys(mapped);
const names = Object.values(mapped);
const domains = ['gmail.com', 'orange.fr', 'free.fr', 'laposte.net', 'hotmail.fr', 'example.com', 'sfr.fr'];

const kinds: readonly CellKind[] = names.map((name) => {
  return name === 'born' ? 'date' : name === 'points' ? 'number' : name === 'vip' ? 'boolean' : 'text';
});

/** Row `n` of a file of `rows`; its person is another one for each row, in no order. */
function cellsOf(n: number, rows: number): string[] {
  const person = (n * 7_919 + 104_729) % rows;
  const at = domains[person % domains.length];
  const born = `${pad(1 + (person % 28))}/${pad(1 + (person % 12))}/${1940 + (person % 66)}`;
  const city = person % 3 === 0 ? `Sainte-Geneviève "${person % 97}" ; Bois` : `Ville ${person % 900}`;
  const postcode = String(person % 96_000).padStart(5, '0');
  const names = [`Prénom ${person % 3_000}`, `Nom ${person % 20_011}`];
  const rest = [born, String(person % 1_000), String(person % 2), `shop ${n % 7}`];
  return [`user.${person}@${at}`, ...names, city, postcode, 'FR', ...rest];
}

function row(n: number, rows: number): string {
  const cells = cellsOf(n, rows).map((cell) =>
    cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${cells.join(';')}\r\n`;
}
const pad = (number: number) => String(number).padStart(2, '0');

/** The file of a size, made once: the same bytes on every machine. */
async function fileOf(rows: number): Promise<string> {
  const path = join('bench', 'data', `import-${rows}.csv`);
  if (existsSync(path)) return path;
  await mkdir(join('bench', 'data'), { recursive: true });
  const out = createWriteStream(path);
  out.write(`${names.join(';')}\r\n`);
  for (let n = 0; n < rows; ) {
    let piece = '';
    for (const end = Math.min(n + 1_000, rows); n < end; n++) piece += row(n, rows);
    if (!out.write(piece)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  return path;
}

async function workbookOf(rows: number): Promise<string> {
  const path = join('bench', 'data', `import-${rows}.xlsx`);
  if (existsSync(path)) return path;
  function* all() {
    yield names;
    for (let n = 0; n < rows; n++) yield cellsOf(n, rows);
  }
  await writeWorkbook(path, all(), kinds);
  return path;
}

const database = await startBenchDatabase();
const { connection, client: db, dataDir } = database;
const idSite = database.db.site.id;
await db.query('set datestyle = ISO, DMY');
await db.query(`
  insert into field (id, name, field_type, length) values
    (101, 'First name', 'Text', 100), (102, 'Last name', 'Text', 100), (103, 'City', 'Text', 100),
    (104, 'Born', 'Date', null), (105, 'Points', 'Integer', null), (106, 'VIP', 'Boolean', null);
  alter table subscriber add fld101 text, add fld102 text, add fld103 text, add fld104 timestamptz,
    add fld105 bigint, add fld106 boolean`);

async function bareCopy(path: string): Promise<number> {
  await db.query('drop table if exists bare; create table bare (like subscriber including all)');
  await db.query('checkpoint');
  const target = `bare (${columns.join(', ')}) from stdin (format csv, delimiter ';', header)`;
  const source = createReadStream(path, { highWaterMark: 256 * 1024 });
  const ms = await msOf(() => pipeline(source, db.query(copyStreams.from(`copy ${target}`))));
  await db.query('drop table bare');
  return ms / 1_000;
}

/** Fills the table with half of the file's people, as they were in another year. */
async function seed(rows: number): Promise<void> {
  await db.query('truncate subscriber restart identity');
  await db.query(
    `insert into subscriber (fld1, fld2, fld3, fld6, fld101, fld105)
     select 'user.' || i || '@' || ($2::text[])[1 + i % $3], now(), now(), 'fair', 'Old name', -1
     from generate_series(0, $1::int / 2 - 1) i`,
    [rows, domains, domains.length],
  );
  await db.query('vacuum analyze subscriber');
  await db.query('checkpoint');
}

interface Ran extends WorkResult {
  readonly log: Record<string, number>;
}

async function facteurImport(path: string): Promise<Ran> {
  const filename = path.endsWith('.xlsx') ? 'people.xlsx' : 'people.csv';
  const folder = siteFolderPath(dataDir, idSite);
  await mkdir(folder, { recursive: true });
  await copyFile(path, join(folder, filename));
  const mapping = (dbFieldName: string, i: number) => {
    const format = dbFieldName === 'fld104' ? { format: 'dd/MM/yyyy' } : {};
    return { dbFieldName, idMappingMode: 1, fileColumnName: names[i], ...format };
  };
  const parameters = {
    filename,
    codepage: 65001,
    keepFld7: false,
    columnMapping: columns.map(mapping),
  };
  const made = await db.query<{ id: number }>(
    `insert into import (id_user, author, parameters, created_at, state, scheduling, scheduled_at)
     values (1, 'bench', $1, now(), 'Scheduled', '{}', now()) returning id`,
    [JSON.stringify(parameters)],
  );
  const idImport = made.rows[0]!.id;
  // A heap that a run whose memory grew with its file would outgrow.
  const said = await measuredWork({ connection, dataDir }, { imports: [idImport] }, {}, [
    '--max-old-space-size=128',
  ]);
  const done = await db.query(`select state, log from import_log where id_import = $1`, [idImport]);
  if (done.rows[0]?.state !== 'Completed') throw new Error(JSON.stringify(done.rows[0]));
  await rm(join(folder, filename));
  return { ...said, log: done.rows[0].log };
}

/** An import into a table that knows half of the rows; all of them must have arrived. */
async function measured(path: string, rows: number): Promise<Ran> {
  await seed(rows);
  const ran = await facteurImport(path);
  const { nbUpdates, nbInserts } = ran.log;
  if (nbUpdates !== Math.floor(rows / 2) || nbInserts !== rows - Math.floor(rows / 2))
    throw new Error(JSON.stringify(ran.log));
  return ran;
}

async function megabytes(path: string): Promise<string> {
  return `${String(Math.round((await stat(path)).size / 1e6)).padStart(3)} MB`;
}
const took = (rows: number, seconds: number) =>
  `${seconds.toFixed(1).padStart(6)} s ${Math.round(rows / seconds / 1_000)
    .toString()
    .padStart(4)} k/s`;
const rest = (ran: Ran, beside: number) =>
  `${(ran.seconds / beside).toFixed(2).padStart(6)}  ${String(ran.peakMb).padStart(5)} MB  ` +
  `${ran.longestBlockMs.toFixed(0).padStart(6)} ms`;

async function besideCopy(rows: number): Promise<void> {
  const path = await fileOf(rows);
  const bare = await bareCopy(path);
  const ran = await measured(path, rows);
  const size = await megabytes(path);
  console.log(
    `${String(rows).padEnd(9)} ${size}  ${took(rows, bare)}  ${took(rows, ran.seconds)}  ${rest(ran, bare)}`,
  );
  if (rows < goalRows) return;
  wantAtMost('times a bare COPY', ran.seconds / bare, 4);
  wantBelow('memory, MB', ran.peakMb, 300);
}

async function workbookBesideCsv(rows: number): Promise<void> {
  const [csv, xlsx] = [await fileOf(rows), await workbookOf(rows)];
  const [plain, packed] = [await measured(csv, rows), await measured(xlsx, rows)];
  for (const [name, path, ran] of [
    ['csv', csv, plain],
    ['xlsx', xlsx, packed],
  ] as const) {
    const size = await megabytes(path);
    console.log(
      `${String(rows).padEnd(9)} ${name.padEnd(4)} ${size}  ${took(rows, ran.seconds)}  ${rest(ran, plain.seconds)}`,
    );
  }
}

/** Calls about people of the file, known and new ones in equal parts. */
function callersOf(rows: number): Caller[] {
  const anyone = () => 1 + Math.floor((Math.random() * rows) / 2);
  let left = rows / 2;
  let nextNew = rows / 2;
  let fields = 0;
  const change = { isChange: true, pauseMs: 5 };
  return [
    {
      ...change,
      name: 'unsubscribe',
      request: () => ['POST', '/subscribers/unsubscribe', [{ idSubscriber: anyone() }]],
    },
    {
      ...change,
      name: 'change a value',
      request: () => ['PUT', '/subscribers', [{ id: anyone(), fields: [{ idField: 101, value: 'Zoé' }] }]],
    },
    {
      ...change,
      name: 'delete one',
      // Each once: from the last one on.
      request: () => ['DELETE', `/subscribers?idSubscribers=${left--}`],
    },
    {
      ...change,
      name: 'create one of the file',
      request: () => {
        nextNew += 7;
        const person = nextNew % rows;
        const email = `user.${person}@${domains[person % domains.length]}`;
        return ['POST', '/subscribers', [{ fields: [{ idField: 1, value: email }] }]];
      },
    },
    {
      isChange: true,
      pauseMs: 5_000,
      name: 'create a field',
      request: () => ['POST', '/fields', { name: `Field ${++fields}`, fieldType: 'Integer' }],
    },
    { isChange: false, pauseMs: 200, name: 'count a target', request: () => ['GET', '/targets/1/count'] },
  ];
}

async function waitsOfCallers(rows: number): Promise<void> {
  const path = await fileOf(rows);
  await seed(rows);
  const kinds = callersOf(rows);
  const callers = new Callers(await startFacteur(database), kinds);
  try {
    await callers.make('/targets', { name: 'All' });
    const quiet = await callers.during(() => pause(10_000));
    const busy = await callers.during(() => facteurImport(path));
    for (const { name, isChange } of kinds) {
      const [before, during] = [quiet.get(name)!, busy.get(name)!];
      const ratio = (median(during) / median(before)).toFixed(1);
      console.log(
        `${name.padEnd(24)} ${shownWaits(before)}   while importing ${shownWaits(during)}   ratio of medians ${ratio}`,
      );
      if (isChange && rows >= goalRows)
        wantAtMost(`${name}, longest wait, s`, Math.max(...during) / 1_000, 2);
    }
  } finally {
    callers.close();
  }
}

const shownWaits = (all: readonly number[]) =>
  `${String(all.length).padStart(5)} calls, median ${median(all).toFixed(0).padStart(4)} ms, ` +
  `longest ${Math.max(...all)
    .toFixed(0)
    .padStart(5)} ms`;

const heads = {
  csv: 'rows       file   bare COPY        import           ratio  peak RSS  longest block',
  xlsx: 'rows      format  file  import           ratio  peak RSS  longest block',
};
try {
  if (!isWaits) console.log(isXlsx ? heads.xlsx : heads.csv);
  const measure = isWaits ? waitsOfCallers : isXlsx ? workbookBesideCsv : besideCopy;
  for (const rows of sizes) await measure(rows);
} finally {
  await database.close();
}
