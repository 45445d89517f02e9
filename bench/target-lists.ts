/**
 * Counting targets by place, by a file and by SQL on a large site, each beside a plain formulation: medians in
 * milliseconds and the ratio. Ours go from a stored target to its count as the API does.
 *
 *   npx tsx bench/target-lists.ts [subscribers, default 1,000,000] [runs, default 7]
 *
 * 94,000 postcodes, 15 times what France has, and a file of 100,000 emails. The site is made once and kept in
 * bench/data/target-lists-1000000 (1 GB).
 */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { siteFolderPath } from '../src/files/sftp-server.ts';
import { makeFirstThings } from '../src/first-start.ts';
import type { App } from '../src/platform/app.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { type Sql, sql } from '../src/platform/db/sql.ts';
import { openApp } from '../src/platform/open-app.ts';
import { setFilter } from '../src/targets/filter-store.ts';
import { loadPostcodeFile } from '../src/targets/places/postcode-file.ts';
import { readTargetSet } from '../src/targets/selection.ts';
import { parametersOf } from '../src/targets/target.ts';
import { insertTarget } from '../src/targets/target-store.ts';
import { addTargetData } from './targets-fields.ts';

const [subscribers = 1_000_000, runs = 7] = process.argv.slice(2).map(Number);
const at = new Date('2026-11-20T10:00:00Z');
const dataDir = resolve('bench', 'data', `target-lists-${subscribers}`);
const listSize = 100_000;

/** Somewhere in France, by a postcode's number. */
const placeOf = (code: number) => ({
  latitude: 42.5 + ((code * 7919) % 8_000) / 1_000,
  longitude: -4 + ((code * 104_729) % 11_000) / 1_000,
});

/** Emails of every tenth subscriber and of as many strangers, in capitals. */
const emailOf = (i: number) => {
  const domain = ['GMAIL.COM', 'ORANGE.FR', 'FREE.FR', 'OUTLOOK.COM'][1 + ((i * 20) % 4) - 1];
  return i % 2 === 0 ? `READER.${i * 5 * 4}@${domain}` : `STRANGER.${i}@${domain}`;
};

async function ensureData(app: App, db: SiteDb): Promise<void> {
  const ready = join(dataDir, 'ready');
  if (existsSync(ready)) return;
  await addTargetData(db, subscribers);
  await db.run(sql`vacuum analyze ${db.t.subscriber}`);
  const lines = Array.from({ length: 94_000 }, (_, i) => {
    const { latitude, longitude } = placeOf(1000 + i);
    const code = String(1000 + i).padStart(5, '0');
    return ['FR', code, `Place ${code}`, '', '', '', '', '', '', latitude, longitude, 5].join('\t');
  });
  const file = join(dataDir, 'FR.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const started = performance.now();
  const { countries } = await loadPostcodeFile(app.control, file, at);
  console.log(`${countries[0]?.codes} postcodes loaded in ${Math.round(performance.now() - started)} ms`);
  await db.run(sql`create table ${db.name('bench_list')} (email text not null)`);
  writeFileSync(ready, '');
}

function writeList(db: SiteDb, app: App, version: number): void {
  const folder = siteFolderPath(app.config.dataDir, db.site.id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'list.csv'),
    Array.from({ length: listSize }, (_, i) => `${emailOf(i)}\n`).join(''),
  );
  utimesSync(join(folder, 'list.csv'), version, version);
}

async function makeTarget(db: SiteDb, filters: Readonly<Record<string, object>>, excluded: number[] = []) {
  return db.transaction(async (tx) => {
    const parameters = parametersOf({ name: 'Bench', excludedTargets: excluded });
    const idTarget = await insertTarget(tx, parameters, { idUser: 1, userName: 'Ada' }, at);
    for (const [kind, definition] of Object.entries(filters))
      await setFilter(tx, { idTarget, kind, isEnabled: true, definition: { ...definition } });
    return idTarget;
  });
}

const count = async (tx: SiteDb, set: Sql) =>
  (await tx.one<{ n: number }>(sql`select count(*) as n from (${set}) s`)).n;

async function median(work: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.sort((x, y) => x - y)[Math.floor(runs / 2)]!;
}

async function compare(
  name: string,
  ours: () => Promise<number>,
  plain: () => Promise<number>,
): Promise<void> {
  const counts = [await ours(), await plain()];
  const [a, b] = [await median(ours), await median(plain)];
  const times = `${a.toFixed(0).padStart(6)} ${b.toFixed(0).padStart(9)} ${(b / a).toFixed(1).padStart(6)}`;
  console.log(`${name.padEnd(44)} ${times}   ${counts.join(' / ')}`);
}

/** The distance reckoned in SQL for every subscriber, from the table of postcodes. */
const plainRadius = (km: number) => sql`
  exists (
    select from facteur.postcode p, facteur.postcode c
    where p.country = 'FR' and p.code = fld40 and c.country = 'FR' and c.code = '69001'
      and 2 * 6371.0088 * asin(least(1, sqrt(
        sind((p.latitude - c.latitude) / 2) ^ 2
        + cosd(p.latitude) * cosd(c.latitude) * sind((p.longitude - c.longitude) / 2) ^ 2))) <= ${km}::float8)`;

async function run(app: App, db: SiteDb): Promise<void> {
  const subscriber = db.t.subscriber;
  const ask = (idTarget: number) => () => readTargetSet({ app, db, idTarget, at }, count);
  const where = (condition: Sql) => () => count(db, sql`select fld0 from ${subscriber} where ${condition}`);
  const list = {
    filename: 'list.csv',
    dbFieldName: 'fld1',
    fileAutomaticDeletionDate: '2027-01-01T00:00:00Z',
  };
  const byFile = await makeTarget(db, { file: list });
  writeList(db, app, Math.floor(Date.now() / 1000));
  const started = performance.now();
  await ask(byFile)();
  console.log(`first count with a new file of ${listSize}: ${Math.round(performance.now() - started)} ms`);
  await db.run(sql`truncate ${db.name('bench_list')}`);
  await db.run(sql`
    insert into ${db.name('bench_list')}
    select v.value from ${db.t.filter_file_value} v
    where v.id_file = (select max(id) from ${db.t.filter_file})`);
  const inList = sql`lower(fld1) in (select email from ${db.name('bench_list')})`;
  console.log(`\n${`median of ${runs}, ms`.padEnd(44)}   ours     plain  ratio   counts`);
  for (const km of [20, 100]) {
    const geolocation = { country: 'FRANCE', postcode: '69001', radius: km };
    await compare(`radius of ${km} km`, ask(await makeTarget(db, { geolocation })), where(plainRadius(km)));
  }
  await compare(`file of ${listSize} emails`, ask(byFile), where(inList));
  await compare(
    'all but those of the file',
    ask(await makeTarget(db, {}, [byFile])),
    where(sql`(${inList}) is not true`),
  );
  const text = "fld7 = 0 and fld101 between 100 and 399 and fld102 like 'Ville 1%'";
  const byHand = sql`fld7 = 0 and fld101 between 100 and 399 and fld102 like 'Ville 1%'`;
  await compare('SQL expression', ask(await makeTarget(db, { sql: { sql: text } })), where(byHand));
}

const opened = await openApp(readConfig({ FACTEUR_DATA_DIR: dataDir }), pino({ level: 'error' }));
try {
  await makeFirstThings(opened.app);
  const db = (await opened.app.site('demo'))!;
  await ensureData(opened.app, db);
  await run(opened.app, db);
} finally {
  await opened.close();
}
