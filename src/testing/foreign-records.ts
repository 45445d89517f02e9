import { foldActivity } from '../activity/fold-store.ts';
import { hitKinds } from '../activity/hit.ts';
import { receiptStates } from '../activity/receipt.ts';
import { recordReceipts } from '../activity/receipt-store.ts';
import type { SiteDb, SiteTables } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import type { RecordKind } from '../platform/http/schema.ts';
import { makeHit, makeHits } from './make-activity.ts';

/** Kinds whose records are the installation's, which the administration names. */
type KindOfInstallation =
  | 'site'
  | 'user'
  | 'passkey'
  | 'token'
  | 'route'
  | 'sendingDomain'
  | 'provider'
  | 'invoice'
  | 'mailboxMessage';

/** For calls that name records: an id of each kind that a site has. */
export type Ids = Readonly<
  Record<Exclude<RecordKind, KindOfInstallation | NamedByText>, number> & Record<NamedByText, string>
>;
type NamedByText = 'singleMessage' | 'alert' | 'email' | 'directoryName';

/** Distinct ids from the number `first` on; ids that are not such numbers are given in `others`. */
const idsFrom = (first: number, others: Pick<Ids, NamedByText | 'segmentPosition' | 'field'>): Ids => ({
  ...others,
  target: first + 1,
  campaign: first + 2,
  segment: first + 3,
  trackedLink: first + 4,
  thematic: first + 5,
  directory: first + 6,
  configuration: first + 7,
  subscriber: first + 8,
  job: first + 11,
  sent: first + 12,
  import: first + 13,
  export: first + 14,
  repository: first + 15,
  picture: first + 16,
  advertiser: first + 17,
  affiliation: first + 18,
  advertisement: first + 19,
  placement: first + 20,
});

/** Ids that `fillForeignSite` gives; tests see to it that the site `demo` gives none of them. */
export const foreignIds = idsFrom(700_000, {
  segmentPosition: 2,
  field: 150,
  singleMessage: '70000000-0000-4000-8000-000000000001',
  alert: '70000000-0000-4000-8000-000000000002',
  email: 'eve@foreign.example',
  directoryName: 'Foreign directory',
});

/** Ids that no site gives. */
export const unknownIds = idsFrom(800_000, {
  segmentPosition: 3,
  field: 170,
  singleMessage: '80000000-0000-4000-8000-000000000001',
  alert: '80000000-0000-4000-8000-000000000002',
  email: 'nobody@foreign.example',
  directoryName: 'Unknown directory',
});

const foreignRequest = JSON.stringify({
  idTarget: foreignIds.target,
  idsFields: ['1'],
  idsEncodeFields: [],
  typeList: 'ID',
  encoding: 'None',
});

const blocksAndData = (t: SiteTables): Sql[] => [
  sql`insert into ${t.content_block} (folded_key, key, value, created_at, updated_at)
    values ('foreign', 'Foreign', 'secret', now(), now())`,
  sql`insert into ${t.content_data} (folded_key, key, nb_rows, loaded_at) values ('foreign', 'Foreign', 1, now())`,
  sql`insert into ${t.content_data_row} (id_data, value, content)
    select id, 'foreign', 'secret' from ${t.content_data}`,
];

/** Statements that add a campaign with all that belongs to it, and the sample data of the site. */
const campaignsOf = (t: SiteDb['t'], by: Sql): Sql[] => {
  const f = foreignIds;
  return [
    sql`insert into ${t.campaign} (id, id_user, author, name, parameters, html_content, created_at, updated_at)
      overriding system value values (${f.campaign}, ${by}, 'Foreign',
        ${JSON.stringify({ name: 'Foreign', subject: 'Foreign', idConfiguration: f.configuration })},
        '<a href="https://foreign.example/">x</a>', now(), now())`,
    sql`insert into ${t.campaign_mjml} (id_campaign, mjml, html_digest)
      values (${f.campaign}, '<mjml>secret</mjml>', 'x')`,
    sql`insert into ${t.segment} (id, id_campaign, position, name, id_target, percent)
      overriding system value
      select ${f.segment}::int + n - 1, ${f.campaign}::int, n, 'Foreign', ${f.target}::int, 100
      from generate_series(1, 2) n`,
    sql`insert into ${t.tracked_link} (id, id_campaign, url, parsed_url, origin, parameters, created_at)
      overriding system value values (${f.trackedLink}, ${f.campaign}, 'https://foreign.example/',
        'https://foreign.example/', 'campaign', '{}', now())`,
    sql`insert into ${t.sample_data} (created_at, id_target, id_campaign, ids_subscriber)
      values (now(), ${f.target}, ${f.campaign}, ${[f.subscriber]}::int[])`,
  ];
};

/** Gives a site at least one row in every table, under `foreignIds`. */
export async function fillForeignSite(db: SiteDb): Promise<void> {
  const { t } = db;
  const f = foreignIds;
  const by = sql`1, 'Eve'`;
  const statements = [
    sql`insert into ${t.field} (id, name, field_type, length)
      values (${f.field}, 'Secret', 'Text', 50)`,
    sql`alter table ${t.subscriber} add ${raw(`fld${f.field} text`)}`,
    sql`insert into ${t.subscriber} (fld0, fld1, fld2, fld43, ${raw(`fld${f.field}`)})
      values (${f.subscriber}, ${f.email}, now(), ${f.subscriber}, 'secret')`,
    sql`insert into ${t.archived_subscriber} (id, email, archived_at, fields)
      values (${f.subscriber + 1_000}, ${`was-${f.email}`}, now(), '{}')`,
    sql`insert into ${t.directory} (id, name, dir_type) overriding system value
      values (${f.directory}, ${f.directoryName}, 'Campaign')`,
    sql`insert into ${t.thematic} (id, name) overriding system value values (${f.thematic}, 'Foreign')`,
    ...blocksAndData(t),
    sql`insert into ${t.sending_configuration} (id, id_user, author, name, created_at, updated_at, sender_email,
        response_email, footer_html) overriding system value
      values (${f.configuration}, ${by}, 'Foreign', now(), now(), 'a@b.example', 'a@b.example', '[[LINK.UNSUB]]')`,
    sql`insert into ${t.target} (id, id_user, author, name, is_test_target, created_at, updated_at)
      overriding system value values (${f.target}, ${by}, 'Foreign', true, now(), now())`,
    sql`insert into ${t.target_filter} (id_target, kind, is_enabled, definition)
      values (${f.target}, 'field', true, '{"filters": [{"idField": 7, "operator": "Equal", "value": "0"}]}')`,
    sql`insert into ${t.filter_file} overriding system value values (1, 'f', 1, 'Text', 1, now(), now(), 1, 0)`,
    sql`insert into ${t.filter_file_value} values (1, 'foreign@example.org')`,
    ...campaignsOf(t, by),
    sql`insert into ${t.job} (id, id_campaign, is_test, state, author, campaign_name, subject, created_at,
        scheduled_at) overriding system value
      values (${f.job}, ${f.campaign}, false, 'Sending', 'Eve', 'Foreign', 'Foreign', now(), now())`,
    sql`insert into ${t.sending} (id, id_campaign, id_segment, position, name) overriding system value
      values (1, ${f.campaign}, 1, 1, 'Foreign')`,
    sql`insert into ${t.sent} (id, id_job, id_sending, position, segment_name, id_target, filter_name, parameters)
      overriding system value
      values (${f.sent}, ${f.job}, 1, 1, 'Foreign', ${f.target}, 'Foreign', '{}')`,
    sql`insert into ${t.recipient_range} (id_job, number, id_sent, subscribers)
      values (${f.job}, 1, ${f.sent}, ${[f.subscriber]}::int[])`,
    sql`insert into ${t.send_log} (id_job, range_number, epoch, at, intents, outcomes, states, codes)
      values (${f.job}, 1, 1, now(), '{}', '{}', '{}', '{}')`,
    sql`insert into ${t.hit_source} (source, last_batch, at) values (gen_random_uuid(), 1, now())`,
    sql`insert into ${t.unsubscription} (id_sent, id_subscriber, at, origin)
      values (${f.sent}, ${f.subscriber}, now(), 'page')`,
    sql`insert into ${t.bounce} (id_sent, id_subscriber, class, at, digest)
      values (${f.sent}, ${f.subscriber}, 1, now(), 'x')`,
    sql`insert into ${t.object_directory} (kind, id_object, id_directory)
      values ('campaign', ${f.campaign}, ${f.directory})`,
    sql`insert into ${t.favourite} (id_user, kind, id_object) values (1, 'target', ${f.target})`,
    sql`insert into ${t.repository} (id, host, port, login, host_key) overriding system value
      values (${f.repository}, 'sftp.foreign.example', 22, 'eve', 'ssh-ed25519 AAAA')`,
    sql`insert into ${t.export_job} (id, id_user, request, id_repository, created_at, state)
      overriding system value values (${f.export}, 1, ${foreignRequest}, 0, now(), 'COMPLETED')`,
  ];
  await db.transaction(async (tx) => {
    for (const statement of [...statements, ...importsOf(t), ...advertising(t), ...forwardsOf(t)])
      await tx.run(statement);
  });
  for (const fill of [fillPictures, fillAlert, fillFacts]) await fill(db);
}

async function fillPictures(db: SiteDb): Promise<void> {
  const sha256 = Buffer.alloc(32);
  await db.run(sql`
    insert into ${db.t.picture_file} (sha256, key, type, width, height, size, content)
    values (${sha256}, 'foreignforeignforeign1', 'png', 1, 1, 1, 'x')`);
  await db.run(sql`
    insert into ${db.t.picture} (id, id_user, author, name, file_name, created_at, updated_at, sha256)
    overriding system value
    values (${foreignIds.picture}, 1, 'Eve', 'Foreign', 'foreign.png', now(), now(), ${sha256})`);
}

function importsOf(t: SiteTables): Sql[] {
  const f = foreignIds;
  return [
    sql`insert into ${t.import} (id, id_user, author, parameters, created_at, state, scheduling, scheduled_at)
      overriding system value values (${f.import}, 1, 'Eve', '{}', now(), 'Completed', '{}', now())`,
    sql`insert into ${t.import_log} (id_import, run, state, log, ended_at)
      values (${f.import}, 1, 'Completed', '{}', now())`,
    sql`insert into ${t.merge_refusal} (n, reason) values (2, 'x')`,
  ];
}

/** A message that was forwarded, and an address that wants no more. */
function forwardsOf(t: SiteTables): Sql[] {
  const { sent, subscriber } = foreignIds;
  return [
    sql`insert into ${t.delivery_failure} (id_sent, id_subscriber, status, reply)
      values (${sent}, ${subscriber}, '5.7.1', '550 no')`,
    sql`insert into ${t.single_message} (id, id_sent, id_subscriber, state, created_at, next_at)
      overriding system value values (1, ${sent}, ${subscriber}, 1, now(), now())`,
    sql`insert into ${t.forward} (id_message, id_sent, id_subscriber, friend_hash, language, asked_at)
      values (1, ${sent}, ${subscriber}, 'x', 'en', now())`,
    sql`insert into ${t.single_message} (id, id_sent, id_subscriber, state, created_at, next_at, guid)
      overriding system value values (2, ${sent}, ${subscriber}, 1, now(), now(), ${foreignIds.singleMessage}::uuid)`,
    sql`insert into ${t.single_send} (id_message, is_transactional, data) values (2, false, '{}')`,
    sql`insert into ${t.forward_block} (friend_hash, at) values ('x', now())`,
  ];
}

function advertising(t: SiteTables): Sql[] {
  const f = foreignIds;
  return [
    sql`insert into ${t.advertiser} (id, name, sector) overriding system value
      values (${f.advertiser}, 'Foreign', 'Other')`,
    sql`insert into ${t.affiliation} (id, name, web_site) overriding system value
      values (${f.affiliation}, 'Foreign', 'https://foreign.example/')`,
    sql`insert into ${t.advertisement} (id, id_user, name, html, created_at, updated_at) overriding system value
      values (${f.advertisement}, 1, 'Foreign', 'Foreign', now(), now())`,
    sql`insert into ${t.segment_advertisement} (id, id_segment, position, id_advertisement)
      overriding system value values (${f.placement}, ${f.segment}, 1, ${f.advertisement})`,
  ];
}

async function fillAlert(db: SiteDb): Promise<void> {
  await db.run(sql`
    insert into facteur.alert (id, id_site, sender_domain, id_provider, level, hours, nb_sent, nb_complaints, raised_at)
    values (${foreignIds.alert}::uuid, ${db.site.id}, 'foreign.example', 1, 3, 24, 2000, 20, now())`);
}

/** A hit and a receipt that are folded, and a hit that is not; an A/B test of the job. */
async function fillFacts(db: SiteDb): Promise<void> {
  const { job, sent, subscriber } = foreignIds;
  await db.run(sql`
    insert into ${db.t.ab_test} (id_job, id_remainder, type) values (${job}, ${sent}, 'Subject')`);
  const hits = [makeHit(sent, subscriber, hitKinds.editorial)];
  await makeHits(db, hits);
  await recordReceipts(db, {
    idSent: sent,
    idSubscribers: [subscriber],
    states: [receiptStates.accepted],
    codes: [250],
    idProviders: [0],
    times: [new Date()],
  });
  await foldActivity(db);
  await makeHits(db, hits);
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
