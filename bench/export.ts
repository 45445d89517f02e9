/**
 * Exports a million subscribers, 20 fields each, through the real path (the task runExport in a process of its own,
 * over SSH to an SFTP server on loopback, registered like anybody's), beside a bare `COPY … TO STDOUT` of the same
 * columns through the same encoding (code page 1252, CR LF) to a file. Same run, same server, settings of serve; the
 * two take turns. The SFTP server is the embedded one; it runs in this process, as the one of a customer would in
 * another. Goals, for a million: at most 2.5 times the bare COPY, below 300 MB.
 *
 *   npx tsx bench/export.ts [rows …]        e.g. 250000 500000 1000000, to see how the cost grows
 */
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import { CsvEncoder } from '../src/files/csv-encoder.ts';
import { Secrets } from '../src/platform/secrets.ts';
import { makeRepository } from '../src/testing/make-repository.ts';
import { measuredWork, processSecret } from '../src/testing/programs.ts';
import { SftpElsewhere } from '../src/testing/sftp-elsewhere.ts';
import type { WorkResult } from '../src/testing/work-process.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantAtMost, wantBelow } from './goal.ts';
import { median, msOf } from './measure.ts';

const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) sizes.push(1_000_000);
const rounds = 4;
const ids = [0, 1, 2, 3, 6, 7, 8, 40, 41, 43, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110];

const { connection, db: site, client, dataDir, close } = await startBenchDatabase();
const sftp = await SftpElsewhere.start();
const idRepository = await makeRepository(site, new Secrets(processSecret), {
  ...sftp.access,
  hostKey: sftp.hostKey,
});

await client.query(`
  insert into facteur.app_user (name, email, created_at) values ('Bench', 'bench@example.com', now());
  insert into field (id, name, field_type, length, list) values
    (101, 'First name', 'Text', 100, null), (102, 'Last name', 'Text', 100, null), (103, 'City', 'Text', 100, null),
    (104, 'Street', 'Text', 200, null), (105, 'Born', 'Date', null, null), (106, 'Last order', 'Date', null, null),
    (107, 'Points', 'Integer', null, null), (108, 'Orders', 'Integer', null, null), (109, 'VIP', 'Boolean', null, null),
    (110, 'Shop', 'List', null, '[{"key": 1, "value": "Paris"}, {"key": 2, "value": "Lyon"}, {"key": 3, "value": "Nîmes"}]');
  alter table subscriber add fld101 text, add fld102 text, add fld103 text, add fld104 text, add fld105 timestamptz,
    add fld106 timestamptz, add fld107 bigint, add fld108 bigint, add fld109 boolean, add fld110 int;
  insert into target (id_user, author, name, created_at, updated_at) values (1, 'Bench', 'Everybody', now(), now());
  -- Of no use to either side, and half of the time of filling the table.
  drop index if exists subscriber_email_md5, subscriber_email_sha1, subscriber_email_sha256, subscriber_email_sha512`);

async function seed(rows: number): Promise<void> {
  await client.query('truncate subscriber restart identity');
  await client.query(
    `insert into subscriber (fld1, fld2, fld3, fld6, fld7, fld8, fld40, fld41, fld43, fld101, fld102, fld103, fld104,
       fld105, fld106, fld107, fld108, fld109, fld110)
     select 'user.' || i || '@' || (array['gmail.com', 'orange.fr', 'free.fr', 'laposte.net'])[1 + i % 4],
       timestamptz '2020-01-01' + i * interval '97 seconds', timestamptz '2024-01-01' + i * interval '41 seconds',
       'shop ' || i % 7, (i % 20 = 0)::int, i % 2, lpad((i % 96000)::text, 5, '0'), 'FR', i + 1000000,
       'Prénom ' || i % 3000, 'Nom ' || i % 20011,
       case when i % 3 = 0 then 'Sainte-Geneviève "' || i % 97 || '" ; Bois' else 'Ville ' || i % 900 end,
       i % 200 || ' rue de la République', timestamptz '1950-01-01' + i % 20000 * interval '1 day',
       timestamptz '2026-01-01' + i % 300 * interval '31 hours', i % 1000, i % 40, i % 2 = 0, 1 + i % 3
     from generate_series(1, $1::int) i`,
    [rows],
  );
  await client.query('vacuum analyze subscriber');
  await client.query('checkpoint');
}

const columns = ids.map((id) => `fld${id}`).join(', ');

/** Seconds of a bare COPY through the same encoding to a file. */
async function bareCopy(): Promise<number> {
  const path = join(dataDir, 'bare.csv');
  const query = `copy (select ${columns} from subscriber order by fld0) to stdout (format csv, delimiter ';')`;
  const encoder = new CsvEncoder({ codePage: 1252, lineEnd: '\r\n' });
  const ms = await msOf(() =>
    pipeline(client.query(copyStreams.to(query)), encoder, createWriteStream(path)),
  );
  await rm(path);
  return ms / 1_000;
}

async function facteurExport(rows: number, compress: 'GZip' | null): Promise<WorkResult & { bytes: number }> {
  const request = {
    idTarget: 1,
    idsFields: ids.map(String),
    idsEncodeFields: [],
    encoding: 'None',
    typeList: 'ID',
    filename: 'people.csv',
    compress,
  };
  const made = await client.query<{ id: number }>(
    `insert into export_job (id_user, request, id_repository, created_at, state)
     values (1, $1, $2, now(), 'SCHEDULED') returning id`,
    [JSON.stringify(request), idRepository],
  );
  const idExport = made.rows[0]!.id;
  // A heap that a run whose memory grew with its rows would outgrow.
  const said = await measuredWork({ connection, dataDir }, { export: idExport }, {}, [
    '--max-old-space-size=128',
  ]);
  const done = await client.query(`select state, nb_lines as nb, message from export_job where id = $1`, [
    idExport,
  ]);
  if (done.rows[0].state !== 'COMPLETED' || done.rows[0].nb !== rows)
    throw new Error(JSON.stringify(done.rows[0]));
  const path = join(sftp.folder, compress ? 'people.csv.gz' : 'people.csv');
  const { size } = await stat(path);
  await rm(path);
  return { ...said, bytes: size };
}

const goalRows = 1_000_000;
const shown = (seconds: number) => `${seconds.toFixed(1).padStart(5)} s`;

try {
  console.log(`medians of ${rounds} turns`);
  console.log(
    'rows       file    bare COPY  over SFTP  ratio  peak RSS  longest block   GZip: over SFTP  file    peak RSS',
  );
  for (const rows of sizes) {
    await seed(rows);
    const bare: number[] = [];
    const ran: WorkResult[] = [];
    // Not counted: the rows come from the disk, and what was seeded is still being written.
    await bareCopy();
    const { bytes: fileBytes } = await facteurExport(rows, null);
    for (let round = 0; round < rounds; round++) {
      // Neither is always the first one.
      if (round % 2 === 0) bare.push(await bareCopy());
      ran.push(await facteurExport(rows, null));
      if (round % 2 === 1) bare.push(await bareCopy());
    }
    const packed = await facteurExport(rows, 'GZip');
    const ours = median(ran.map((one) => one.seconds));
    const mb = (bytes: number) => `${String(Math.round(bytes / 1e6)).padStart(3)} MB`;
    console.log(
      `${String(rows).padEnd(9)} ${mb(fileBytes)}  ${shown(median(bare))}    ${shown(ours)}    ` +
        `${(ours / median(bare)).toFixed(2)}   ${Math.max(...ran.map((one) => one.peakMb))} MB  ` +
        `${Math.max(...ran.map((one) => one.longestBlockMs))
          .toFixed(0)
          .padStart(6)} ms          ` +
        `${shown(packed.seconds)}         ${mb(packed.bytes)}  ${packed.peakMb} MB`,
    );
    console.log(
      `  turns: bare ${bare.map(shown).join(',')}; ours ${ran.map((one) => shown(one.seconds)).join(',')}`,
    );
    if (rows < goalRows) continue;
    wantAtMost('times a bare COPY', ours / median(bare), 2.5);
    wantBelow('memory, MB', Math.max(...ran.map((one) => one.peakMb)), 300);
  }
} finally {
  await sftp.close();
  await close();
}
