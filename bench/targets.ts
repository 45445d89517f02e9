/**
 * Counting targets on a large site, each beside the plain formulation over raw facts with grouping: medians in
 * milliseconds and the ratio. Ours go from a stored target to its count as the API does.
 *
 * npx tsx bench/targets.ts [subscribers, default 1,000,000] [runs, default 7] [part of a name]
 *
 * With 30 receipts, 8 opens and 2.5 clicks a subscriber: 1,000,000 of them are made once and kept in
 * bench/data/targets-1000000 (about 6 GB); remove the folder to make them again.
 *
 * On 2026-11-22, PostgreSQL 18, two cores alone, 1,000,000 subscribers (ours, plain): field 82, 75 ms; behaviour 102,
 * 1,066; pressure 73, 4,814; the three 137, 3,885; radius 147, 133; file 234, 477; five segments 277, 6,342. With hits
 * that are not aggregated, behaviour: 159 for 5,000 of them, 611 for 50,000. Making the data: 123,700 facts aggregated
 * a second, receipts and hits together. 10 bytes a receipt, 219 a hit (half of them its user agent), sums 0.4 and 12.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { countersOfSents } from '../src/activity/counter-store.ts';
import { sumCounters } from '../src/activity/counters.ts';
import { hitKinds } from '../src/activity/hit.ts';
import { countersByProvider } from '../src/activity/provider-counter-store.ts';
import { evaluateAudience } from '../src/campaigns/audience.ts';
import { listSegments } from '../src/campaigns/segment-store.ts';
import { readConfig } from '../src/config.ts';
import { makeFirstThings } from '../src/first-start.ts';
import type { App } from '../src/platform/app.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { join as joined, raw, type Sql, sql } from '../src/platform/db/sql.ts';
import { openApp } from '../src/platform/open-app.ts';
import { setFilter } from '../src/targets/filter-store.ts';
import { readTargetSet, Selection } from '../src/targets/selection.ts';
import { parametersOf } from '../src/targets/target.ts';
import { insertTarget } from '../src/targets/target-store.ts';
import { makeCampaign, makeSegment } from '../src/testing/campaign-makers.ts';
import { wantAtLeast, wantAtMost } from './goal.ts';
import { medianMs, msOf } from './measure.ts';
import { benchNow, insertHits, makeActivityData, plainReceipt, sentCount, storage } from './targets-data.ts';
import { centre, listedFile, loadPlaces, plainFile, writeFileOfEmails } from './targets-sources.ts';

const [subscribers = 1_000_000, runs = 7] = process.argv.slice(2).map(Number);
/** Only questions whose name holds this. */
const only = process.argv[4] ?? '';

type Filters = Readonly<Record<string, object>>;

interface Question {
  readonly name: string;
  /** Milliseconds to reach for a million subscribers. */
  readonly goal?: number;
  /** How many times faster than the plain way it is to be. */
  readonly timesFaster?: number;
  readonly filters: Filters;
  /** The filters of a target whose subscribers are excluded. */
  readonly excluding?: Filters;
  plain(db: SiteDb): Sql;
}

const since = new Date('2026-10-20T22:00:00Z');
const opens = (db: SiteDb) => sql`
  fld0 in (
    select id_subscriber from ${db.t.hit} where kind = ${hitKinds.open} and at >= ${since}::timestamptz
    group by id_subscriber having count(*) >= 3)`;
const received = (db: SiteDb) => sql`
  fld0 not in (
    select id_subscriber from ${plainReceipt(db)} where state = 1 and at >= ${since}::timestamptz
    group by id_subscriber having count(*) >= 4)`;

const field = {
  filters: [
    { idField: 7, operator: 'Equal', value: '0' },
    { idField: 101, operator: 'Between', value: '100;399' },
  ],
};
const behaviour = {
  didAnAction: true,
  action: 'Open',
  behaviourType: 'NbDays',
  nbDaysAgo: 30,
  nbTime: '3',
  nbTimeAndDayOperator: 'AtLeast',
  filterMpp: false,
};
const emailPressure = { operatorRequest: 'LOWER', nbRequest: 4, type: 'Since', fromTime: 30, timeType: 2 };

const file = {
  filename: listedFile,
  dbFieldName: 'fld1',
  fileAutomaticDeletionDate: '2027-01-01T00:00:00Z',
};
const listed = (db: SiteDb) => sql`lower(fld1) in (select lower(email) from ${plainFile(db)})`;
const radius = (km: number): Question => ({
  name: `radius: ${km} km around a postcode`,
  filters: { geolocation: { country: 'FRANCE', postcode: centre.code, radius: km } },
  plain: () => sql`
    exists (
      select from facteur.postcode p
      where p.country = 'FR' and p.code = fld40 and 12742 * asin(sqrt(
        power(sin(radians(p.latitude - ${centre.latitude}::float) / 2), 2)
        + cos(radians(p.latitude)) * cos(radians(${centre.latitude}::float))
          * power(sin(radians(p.longitude - ${centre.longitude}::float) / 2), 2))) <= ${km}::float8)`,
});
const questions: readonly Question[] = [
  {
    name: 'field: status and a range',
    goal: 100,
    filters: { field },
    plain: () => sql`fld7 = 0 and fld101 between 100 and 399`,
  },
  {
    name: 'behaviour: at least 3 opens in 30 days',
    goal: 150,
    timesFaster: 5,
    filters: { behaviour },
    plain: opens,
  },
  {
    name: 'pressure: fewer than 4 in 30 days',
    goal: 150,
    timesFaster: 5,
    filters: { emailPressure },
    plain: received,
  },
  {
    name: 'the three together',
    goal: 300,
    filters: { field, behaviour, emailPressure },
    plain: (db) => sql`fld7 = 0 and fld101 between 100 and 399 and ${opens(db)} and ${received(db)}`,
  },
  ...[20, 50, 100].map(radius),
  { name: 'file of a tenth of the subscribers', filters: { file }, plain: listed },
  {
    name: 'all but those of the file',
    filters: {},
    excluding: { file },
    plain: (db) => sql`(${listed(db)}) is not true`,
  },
  {
    name: 'SQL expression',
    filters: { sql: { sql: "fld7 = 0 and fld101 between 100 and 399 and fld102 like 'Ville 1%'" } },
    plain: () => sql`fld7 = 0 and fld101 between 100 and 399 and fld102 like 'Ville 1%'`,
  },
  {
    name: 'behaviour: at least 3 opens in 180 days',
    filters: { behaviour: { ...behaviour, nbDaysAgo: 180 } },
    plain: (db) => sql`
      fld0 in (
        select id_subscriber from ${db.t.hit} where kind = ${hitKinds.open}
        group by id_subscriber having count(*) >= 3)`,
  },
];

const dataDir = resolve('bench', 'data', `targets-${subscribers}`);

async function ensureData(db: SiteDb): Promise<void> {
  const ready = join(dataDir, 'ready');
  if (existsSync(ready)) return;
  const started = performance.now();
  const { facts, foldSeconds } = await makeActivityData(db, subscribers, (text) => console.log(text));
  const seconds = Math.round((performance.now() - started) / 1_000);
  const rate = Math.round(facts / foldSeconds);
  console.log(
    `made in ${seconds} s; ${facts} facts were folded in ${Math.round(foldSeconds)} s, ${rate} a second`,
  );
  wantAtLeast('facts folded a second', rate, 20_000);
  writeFileSync(ready, `${rate}\n`);
}

async function makeTarget(db: SiteDb, filters: Filters, excludedTargets: number[] = []): Promise<number> {
  return db.transaction(async (tx) => {
    const author = { idUser: 1, userName: 'Ada' };
    const idTarget = await insertTarget(
      tx,
      parametersOf({ name: 'Bench', excludedTargets }),
      author,
      benchNow,
    );
    for (const [kind, definition] of Object.entries(filters))
      await setFilter(tx, { idTarget, kind, isEnabled: true, definition: { ...definition } });
    return idTarget;
  });
}

const count = async (tx: SiteDb, set: Sql) =>
  (await tx.one<{ n: number }>(sql`select count(*) as n from (${set}) s`)).n;

async function ask(app: App, db: SiteDb, question: Question): Promise<void> {
  const excluded = question.excluding ? [await makeTarget(db, question.excluding)] : [];
  const idTarget = await makeTarget(db, question.filters, excluded);
  const plain = sql`select fld0 from ${db.t.subscriber} where ${question.plain(db)}`;
  await compare(
    question,
    () => readTargetSet({ app, db, idTarget, at: benchNow }, count),
    () => count(db, plain),
  );
}

/** Five segments, each without the subscribers of the earlier ones; the plain way is a chain of EXCEPT. */
async function askSegments(app: App, db: SiteDb): Promise<void> {
  const idCampaign = await makeCampaign(db);
  const members = questions.slice(0, 3).reverse();
  const more: readonly Pick<Question, 'filters' | 'plain'>[] = [
    {
      filters: { field: { filters: [{ idField: 101, operator: 'Greater', value: '800' }] } },
      plain: () => sql`fld101 > 800`,
    },
    { filters: {}, plain: () => sql`true` },
  ];
  const all = [...members, ...more];
  for (const { filters } of all)
    await makeSegment(db, idCampaign, { idTarget: await makeTarget(db, filters) });
  const segments = await listSegments(db, idCampaign);
  const names = all.map((_, i) => raw(`s${i}`));
  const steps = all.map(
    ({ plain }, i) => sql`${names[i]!} as materialized (
      select fld0 from ${db.t.subscriber} where fld7 = 0 and fld44 in (0, 1) and ${plain(db)})`,
  );
  const chain = names.map((_, i) => {
    const inTurn = [names[i]!, ...names.slice(0, i)].map((name) => sql`select fld0 from ${name}`);
    return sql`(${joined(inTurn, ' except ')})`;
  });
  await compare(
    { name: 'five segments, de-duplicated in order' },
    () =>
      Selection.select({ app, db, at: benchNow, reader: 'task', limitMs: 600_000 }, (selection) =>
        evaluateAudience(selection, segments, (audience) => count(selection.tx, audience)),
      ),
    () => count(db, sql`with ${joined(steps)} ${joined(chain, ' union all ')}`),
  );
}

/** Reads the counters of all sendings, beside counts from the hits. @param goal their maximum time, in ms */
async function askStatistics(db: SiteDb, goal: { goal?: number } = {}): Promise<void> {
  const sents = Array.from({ length: sentCount }, (_, i) => i + 1);
  await compare(
    { name: `opens of ${sentCount} sendings`, ...goal },
    async () => sumCounters((await countersOfSents(db, sents)).values()).nbOpenings,
    async () =>
      (await db.one<{ n: number }>(sql`select count(*) as n from ${db.t.hit} where kind = ${hitKinds.open}`))
        .n,
  );
  const isMobile = sql`kind <> ${hitKinds.open} and is_mobile`;
  await compare(
    { name: `mobile clicks of ${sentCount} sendings`, ...goal },
    async () => sumCounters((await countersOfSents(db, sents, 'mobile')).values()).nbClicks,
    async () => (await db.one<{ n: number }>(sql`select count(*) as n from ${db.t.hit} where ${isMobile}`)).n,
  );
  const clicks = sql`kind <> ${hitKinds.open} and id_sent = ${sentCount}`;
  await compare(
    { name: 'clicks of a sending, by provider' },
    async () => sumCounters(await countersByProvider(db, sentCount, new Map())).nbClicks,
    async () => (await db.one<{ n: number }>(sql`select count(*) as n from ${db.t.hit} where ${clicks}`)).n,
  );
}

/** Asks the same questions while `fresh` hits of the last sendings are not aggregated yet. */
async function askWithFresh(app: App, db: SiteDb, fresh: number): Promise<void> {
  const rows = sql`
    select ${benchNow}::timestamptz - interval '1 hour' as at, 1 + n % 2 as kind, 1 as class, false as is_mobile,
      ${sentCount}::int - n % 5 as id_sent, 1 + (n::bigint * 7919) % ${subscribers}::int as id_subscriber,
      null as id_link, 'Mail' as user_agent, '192.0.2.1'::inet as address
    from generate_series(1, ${fresh}::int) n`;
  await db.run(insertHits(db, rows));
  try {
    await ask(app, db, { name: `behaviour, ${fresh} hits not folded`, filters: { behaviour }, plain: opens });
    await askStatistics(db);
  } finally {
    await db.run(sql`delete from ${db.t.hit_batch}`);
    await db.run(sql`vacuum ${db.t.hit_batch}`);
  }
}

async function compare(
  { name, goal, timesFaster }: Pick<Question, 'name' | 'goal' | 'timesFaster'>,
  ours: () => Promise<number>,
  plain: () => Promise<number>,
): Promise<void> {
  // Once each before anything is compared; the first count reads files that are new.
  const counts: number[] = [];
  const first = await msOf(async () => counts.push(await ours()));
  counts.push(await plain());
  const [a, b] = [await medianMs(runs, ours), await medianMs(Math.min(runs, 3), plain)];
  const told = `${name.padEnd(40)} ${a.toFixed(0).padStart(6)} ${b.toFixed(0).padStart(9)} ${(b / a).toFixed(1).padStart(6)}`;
  console.log(`${told} ${first.toFixed(0).padStart(6)}   ${counts.join(' / ')}`);
  if (goal !== undefined) wantAtMost(`${name}, ms`, a, goal);
  if (timesFaster !== undefined) wantAtLeast(`${name}, times faster than plain`, b / a, timesFaster);
}

const log = pino({ level: 'error' });
const opened = await openApp(readConfig({ FACTEUR_DATA_DIR: dataDir }), log);
try {
  await makeFirstThings(opened.app);
  const db = (await opened.app.site('demo'))!;
  await ensureData(db);
  await loadPlaces(opened.app);
  await writeFileOfEmails(opened.app, db);
  for (const [name, bytes] of Object.entries(await storage(db))) {
    const perFact = bytes / (subscribers * (/receipt/.test(name) ? 30 : 10.5));
    console.log(`${name.padEnd(24)} ${Math.round(bytes / 2 ** 20)} MB, ${perFact.toFixed(1)} bytes a fact`);
  }
  console.log(`\n${`median of ${runs}, ms`.padEnd(40)}   ours     plain  ratio  first   counts`);
  for (const question of questions) {
    if (question.name.includes(only)) await ask(opened.app, db, question);
  }
  if (only === '') await askSegments(opened.app, db);
  await askStatistics(db, { goal: 50 });
  for (const fresh of [5_000, 50_000]) await askWithFresh(opened.app, db, fresh);
} finally {
  await opened.close();
}
