import { randomUUID } from 'node:crypto';
import { foldActivity } from '../activity/fold-store.ts';
import { hitKinds } from '../activity/hit.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, sql } from '../platform/db/sql.ts';
import type { TestApp } from './app.ts';
import { makeSegment } from './campaign-makers.ts';
import { makeHit, makeHits } from './make-activity.ts';
import { makeOpenRange, makeReceipts } from './make-sent.ts';
import { type Ids, makeOwn } from './own-records.ts';

/** Ids of the records of the site `other`, and others that no site gives. */
export type ForeignIds = Readonly<Record<'foreign' | 'unknown', Ids>>;

/** Gives the site `other` at least one row in every table, under ids that the site `demo` does not give. */
export async function fillForeignSite(t: TestApp): Promise<ForeignIds> {
  const db = t.otherDb;
  const sequences = await db.rows<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = ${db.site.schema}::regnamespace and relkind = 'S'`);
  for (const { name } of sequences) await db.run(sql`alter sequence ${db.name(name)} restart with 700000`);
  const own = await makeOwn({ ...t, db });
  const foreign = { ...own, segmentPosition: 2, field: 150 };
  await makeSegment(db, foreign.campaign, { idTarget: foreign.target });
  await db.transaction(async (tx) => {
    for (const statement of [...contentsOf(tx, foreign), ...sendingOf(tx, foreign)]) await tx.run(statement);
  });
  await makeFacts(db, foreign);
  const numbers = Object.entries(foreign).map(([kind, id]) => [
    kind,
    typeof id === 'number' ? id + 100_000 : id,
  ]);
  const texts = {
    singleMessage: randomUUID(),
    alert: randomUUID(),
    email: 'nobody@foreign.example',
    directoryName: 'Unknown directory',
  };
  return { foreign, unknown: { ...Object.fromEntries(numbers), ...texts, segmentPosition: 3, field: 170 } };
}

const contentsOf = ({ t }: SiteDb, f: Ids) => [
  sql`insert into ${t.field} (id, name, field_type, length) values (${f.field}, 'Secret', 'Text', 50)`,
  sql`alter table ${t.subscriber} add ${raw(`fld${f.field} text default 'secret'`)}`,
  sql`with address as (insert into ${t.erased_address} values ('x')) insert into ${t.erased_subscriber} values (1)`,
  sql`insert into ${t.archived_subscriber} (id, email, archived_at, fields)
    values (${f.subscriber + 1_000}, ${`was-${f.email}`}, now(), '{}')`,
  sql`insert into ${t.content_block} (folded_key, key, value, created_at, updated_at)
    values ('foreign', 'Foreign', 'secret', now(), now())`,
  sql`insert into ${t.content_data} (folded_key, key, nb_rows, loaded_at) values ('foreign', 'Foreign', 1, now())`,
  sql`insert into ${t.content_data_row} (id_data, value, content)
    select id, 'foreign', 'secret' from ${t.content_data}`,
  sql`insert into ${t.campaign_mjml} values (${f.campaign}, '<mjml>secret</mjml>', 'x')`,
  sql`insert into ${t.subscriber_change} values (${f.subscriber}, now(), 'user', 1, '{"1": ["secret", null]}', 1)`,
  sql`insert into ${t.sample_data} (created_at, id_target, id_campaign, ids_subscriber)
    values (now(), ${f.target}, ${f.campaign}, ${[f.subscriber]}::int[])`,
  sql`insert into ${t.filter_file} overriding system value values (1, 'f', 1, 'Text', 1, now(), now(), 1, 0)`,
  sql`insert into ${t.filter_file_value} values (1, 'foreign@example.org')`,
  sql`insert into ${t.favourite} (id_user, kind, id_object) values (1, 'target', ${f.target})`,
  sql`with one as (insert into ${t.import_people} values (${f.import}, 1, 'new', 0, '{[1,100)}'))
    insert into ${t.import_log} (id_import, run, state, log, ended_at)
    values (${f.import}, 1, 'Completed', '{}', now())`,
  sql`insert into ${t.merge_refusal} (n, reason) values (2, 'x')`,
];

/** A message that was forwarded, an address that wants no more, and other ends of messages; an A/B test. */
const sendingOf = ({ t }: SiteDb, { sent, subscriber, job, singleMessage }: Ids) => [
  sql`insert into ${t.hit_source} (source, last_batch, at) values (gen_random_uuid(), 1, now())`,
  sql`insert into ${t.unsubscription} (id_sent, id_subscriber, at, origin)
    values (${sent}, ${subscriber}, now(), 'page')`,
  sql`insert into ${t.bounce} (id_sent, id_subscriber, class, at, digest)
    values (${sent}, ${subscriber}, 1, now(), 'x')`,
  sql`insert into ${t.delivery_failure} (id_sent, id_subscriber, status, reply)
    values (${sent}, ${subscriber}, '5.7.1', '550 no')`,
  sql`with message as (
      insert into ${t.single_message} (id_sent, id_subscriber, state, created_at, next_at)
      values (${sent}, ${subscriber}, 1, now(), now()) returning id)
    insert into ${t.forward} (id_message, id_sent, id_subscriber, friend_hash, language, asked_at)
    select id, ${sent}::int, ${subscriber}::int, 'x', 'en', now() from message`,
  sql`insert into ${t.single_send} (id_message, is_transactional, data)
    select id, false, '{}' from ${t.single_message} where guid = ${singleMessage}::uuid`,
  sql`insert into ${t.forward_block} (friend_hash, at) values ('x', now())`,
  sql`insert into ${t.ab_test} (id_job, id_remainder, type) values (${job}, ${sent}, 'Subject')`,
];

/** A hit and a receipt that are folded, and a hit that is not; a range that is being handed over. */
async function makeFacts(db: SiteDb, { job, sent, subscriber }: Ids): Promise<void> {
  const hits = [makeHit(sent, subscriber, hitKinds.editorial)];
  await makeHits(db, hits);
  await makeReceipts(db, job, sent, { accepted: [subscriber] });
  await foldActivity(db);
  await makeHits(db, hits);
  await makeOpenRange(db, job, sent, { subscribers: [subscriber], accepted: [], at: new Date() });
}

/** A digest of every table of a site's schema, by name, and of its sequences: even a refused insert moves one. */
export async function digestSite(db: SiteDb): Promise<Record<string, string>> {
  const { schema } = db.site;
  const relations = await db.rows<{ name: string; kind: string }>(sql`
    select relname as name, relkind as kind from pg_class
    where relnamespace = ${schema}::regnamespace and relkind in ('r', 'p', 'S') order by relname`);
  const digests = relations.map(
    ({ name }) => sql`
      select ${name}::text as name,
        count(*) || ' ' || coalesce(md5(string_agg(r::text, E'\n' order by r::text)), '') as digest
      from (select * from ${db.name(name)}) r`,
  );
  const rows = await db.rows<{ name: string; digest: string }>(join(digests, ' union all '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
