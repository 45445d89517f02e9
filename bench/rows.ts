/**
 * Rows in and out of a site by the million: content data that are loaded, beside a bare COPY into a table with the same
 * key; and the recipients of a sending as a file of statistics, beside a bare COPY of the same receipts. Same run, same
 * server; the two take turns.
 *
 *   npx tsx bench/rows.ts [rows]
 *
 * Goals: at most 4 times the bare COPY for content data, at most 6 times for statistics, below 400 MB.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import { replaceContentData } from '../src/contents/content-data-store.ts';
import { type StatisticsSettings, settingsOf } from '../src/exports/export-settings.ts';
import { statTypes } from '../src/exports/statistics-export.ts';
import { openStatistics } from '../src/exports/statistics-rows.ts';
import type { TableRecord } from '../src/files/table.ts';
import { makeJob } from '../src/testing/make-sent.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantAtMost, wantBelow } from './goal.ts';
import { inTurns } from './measure.ts';

const [rows = 1_000_000] = process.argv.slice(2).map(Number);
const rounds = 3;
const { control, db, client, dataDir, close } = await startBenchDatabase();

async function* records(): AsyncGenerator<TableRecord[]> {
  for (let from = 0; from < rows; from += 5_000)
    yield Array.from({ length: Math.min(5_000, rows - from) }, (_, i) => ({
      line: from + i + 1,
      cells: [`reader.${from + i}@example.org`, `Offer ${from + i}: 10 € off`],
    }));
}

async function bareLoad(): Promise<void> {
  await client.query('drop table if exists bare');
  await client.query(
    'create table bare (id_data int, value text, content text, primary key (id_data, value))',
  );
  async function* lines() {
    for await (const group of records())
      yield group.map(({ cells }) => `1\t${cells[0]}\t${cells[1]}\n`).join('');
  }
  await pipeline(Readable.from(lines()), client.query(copyStreams.from('copy bare from stdin')));
}

async function seedReceipts(): Promise<number> {
  const { idJob, idsSent } = await makeJob(db, { nbAddressToSend: rows });
  const idSent = idsSent[0]!;
  await client.query(
    `insert into subscriber (fld1) select 'reader.' || i || '@example.org' from generate_series(1, $1::int) i`,
    [rows],
  );
  await client.query(
    `insert into receipt_range (id_sent, first_subscriber, last_subscriber, subscribers, states, codes, id_providers,
       first_at, last_at, delays)
     select $1::int, min(fld0), max(fld0), array_agg(fld0 order by fld0), array_agg(1::smallint), array_agg(250::smallint),
       array_agg(0), now(), now(), array_agg(0)
     from (select fld0, (row_number() over (order by fld0) - 1) / 1000 as part from subscriber) s group by part`,
    [idSent],
  );
  await client.query('vacuum analyze');
  return idJob;
}

async function statistics(idJob: number): Promise<void> {
  const request = {
    idJob,
    idCampaign: 0,
    idSent: 0,
    idLink: 0,
    idPub: 0,
    statType: statTypes.recipients,
    mpp: false,
  };
  await db.transaction(async (tx) => {
    const { rows: read } = await openStatistics({ control }, tx, settingsOf(request) as StatisticsSettings);
    await pipeline(read, createWriteStream(join(dataDir, 'statistics.csv')));
  });
}

async function bareReceipts(): Promise<void> {
  const query =
    'copy (select r.*, s.fld1 from receipt r join subscriber s on s.fld0 = r.id_subscriber) to stdout (format csv)';
  await pipeline(client.query(copyStreams.to(query)), createWriteStream(join(dataDir, 'bare.csv')));
}

try {
  const load = await inTurns(rounds, () => replaceContentData(db, 'offers', records(), new Date()), bareLoad);
  console.log(`${rows} rows of content data, ms: ${JSON.stringify(load)}`);
  const idJob = await seedReceipts();
  const file = await inTurns(rounds, () => statistics(idJob), bareReceipts);
  console.log(`${rows} recipients as a file, ms: ${JSON.stringify(file)}`);
  const megabytes = process.resourceUsage().maxRSS / 1024;
  wantAtMost('content data, times the bare COPY', load.ours / load.theirs, 4);
  wantAtMost('statistics, times the bare COPY', file.ours / file.theirs, 6);
  wantBelow('memory, MB', megabytes, 400);
} finally {
  await close();
}
