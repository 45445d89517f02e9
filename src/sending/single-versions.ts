import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { forEachSite } from '../accounts/for-each-site.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import { faultOfSingle, isTransactional } from '../campaigns/campaign-rules.ts';
import { lockCampaign } from '../campaigns/campaign-store.ts';
import { checklistOf } from '../campaigns/checklist.ts';
import { type SingleFacts, singleFactsOf } from '../campaigns/readiness.ts';
import { withFieldSet } from '../fields/field-set.ts';
import { refuseWhileHeld } from '../installation/installation-store.ts';
import { compileMessage } from '../mail/compile-message.ts';
import type { CompiledMessage } from '../mail/message-source.ts';
import type { App } from '../platform/app.ts';
import { Batcher } from '../platform/batcher.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { domainOf } from '../platform/email-address.ts';
import { invalid, notFound, refused } from '../platform/http/refusal.ts';
import { parisDayOf } from '../platform/paris-time.ts';
import { keptIn, remembered } from '../platform/remembered.ts';
import { task } from '../platform/tasks.ts';
import type { Wanted } from '../subscribers/lookup.ts';
import { findSubscribers } from '../subscribers/subscriber-store.ts';
import { deliveryState } from '../subscribers/subscription.ts';
import { addSents, checkReachable, freezeJudged, judgeMessages, keepSendings, reachOf } from './freeze.ts';
import { type FrozenJob, sourceOf } from './frozen-job.ts';
import { frozenJob } from './job-store.ts';
import { type SingleSend, usualFields } from './single-message.ts';
import { addSends, forgetKeys, forgetParts, type NewSend } from './single-message-store.ts';

/** Maximum number of versions of campaigns in the memory of a process; each holds its contents. */
const mostKept = 100;
/** Maximum number of sends in one commit. */
const mostInCommit = 100;

/** The content of a campaign's single messages at one moment. */
export interface SingleVersion {
  readonly idSent: number;
  readonly isTransactional: boolean;
  /** The data that a message without overrides needs. */
  readonly needs: MessageNeeds;
  readonly facts: SingleFacts;
  freeze(facts: SingleFacts): FrozenJob;
}

/** The fields and data that a message shows. */
type MessageNeeds = Pick<CompiledMessage, 'fields' | 'data'>;

interface Kept {
  readonly stamp: string;
  readonly version: SingleVersion;
}

/** The memory of this process for single sends: versions of campaigns, and the sends to be stored. */
export const singlesOf = remembered((app: App) => new Singles(app));

class Singles {
  readonly #app: App;
  readonly #kept = new LRUCache<string, Kept>({ max: mostKept });
  readonly #making = new Map<string, Promise<Kept>>();
  readonly #sends = new Map<number, Batcher<NewSend>>();
  /** Stored sends whose callers have no response yet. */
  readonly #stored = new WeakSet<NewSend>();

  constructor(app: App) {
    this.#app = app;
  }

  /**
   * The campaign's current version. One statement checks whether anything in it changed; only then is it re-read.
   * @throws 404 for an unknown campaign, 422 that names everything that keeps it from being sent
   */
  async versionOf(db: SiteDb, idCampaign: number, at: Date): Promise<SingleVersion> {
    const key = `${db.site.id} ${idCampaign}`;
    const stamp = await stampOf(db, idCampaign, parisDayOf(at).toString());
    const kept = this.#kept.get(key);
    if (kept?.stamp === stamp) return kept.version;
    // Concurrent calls that find it changed wait for one of them.
    const making = `${key} ${stamp}`;
    const made = keptIn(this.#making, making, () => this.#make(db, idCampaign, stamp, at));
    try {
      const fresh = await made;
      this.#kept.set(key, fresh);
      return fresh.version;
    } finally {
      this.#making.delete(making);
    }
  }

  async #make(db: SiteDb, idCampaign: number, stamp: string, at: Date): Promise<Kept> {
    await checkReachable(this.#app, db.site.id);
    const version = await db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, idCampaign);
      return makeVersion(this.#app, tx, campaign, at);
    });
    return { stamp, version };
  }

  /**
   * Stores a send, in one commit with others. Returns false if its key has been used.
   * @throws 409 while sending is held
   */
  async add(db: SiteDb, send: NewSend): Promise<boolean> {
    const make = () => new Batcher<NewSend>((sends) => this.#store(db, sends), mostInCommit);
    await keptIn(this.#sends, db.site.id, make).add(send);
    return this.#stored.delete(send);
  }

  async #store(db: SiteDb, sends: readonly NewSend[]): Promise<void> {
    const stored = await addSends(db, sends);
    for (const send of sends) if (stored.has(send.guid)) this.#stored.add(send);
  }
}

/** Row versions of everything that the campaign's messages depend on, and the day. */
async function stampOf(db: SiteDb, idCampaign: number, day: string): Promise<string> {
  const { t } = db;
  const rows = await db.prepared<{ stamp: string }>(
    `single stamp ${db.site.id}`,
    sql`
      select concat_ws(' ', ${day}::text, c.xmin::text, d.xmin::text, o.xmin::text,
        (select string_agg(s.id || ':' || s.xmin, ',' order by s.id) from ${t.segment} s where s.id_campaign = c.id),
        (select sum(hashtextextended(p.id || ':' || p.xmin || ':' || a.xmin, 0))
          from ${t.segment} s join ${t.segment_advertisement} p on p.id_segment = s.id
            join ${t.advertisement} a on a.id = p.id_advertisement
          where s.id_campaign = c.id),
        (select sum(hashtextextended(l.id || ':' || l.xmin, 0)) from ${t.tracked_link} l where l.id_campaign = c.id),
        (select sum(hashtextextended(b.folded_key || ':' || b.xmin, 0)) from ${t.content_block} b),
        (select string_agg(e.id || ':' || e.xmin, ',' order by e.id) from ${t.content_data} e),
        (select sum(hashtextextended(f.id || ':' || f.xmin, 0)) from ${t.field} f),
        (select sum(hashtextextended(r.id || ':' || r.xmin, 0)) from facteur.route r where r.id_site = ${db.site.id})
      ) as stamp
      from ${t.campaign} c
        left join ${t.campaign} d on d.id = c.id_camp_dynamic
        left join ${t.sending_configuration} o on o.id = (c.parameters ->> 'idConfiguration')::int
      where c.id = ${idCampaign}`,
  );
  if (!rows[0]) throw notFound('Campaign', 'campaignId');
  return rows[0].stamp;
}

async function makeVersion(app: App, tx: SiteDb, campaign: Campaign, at: Date): Promise<SingleVersion> {
  const fault = faultOfSingle(campaign);
  if (fault !== undefined) throw refused(fault);
  const facts = await singleFactsOf(tx, campaign);
  checkMessage(facts);
  const reach = await reachOf(app, tx, facts, facts.segments);
  const messageIdRandom = randomBytes(8).toString('hex');
  const freezeWith = (of: SingleFacts, idJob: number, idSent: number) =>
    freezeJudged(
      app,
      tx,
      { judged: of, job: { id: idJob, isTest: false }, ...reach, at },
      { segments: of.segments.map((segment) => ({ segment, idSent })), hasData: true, messageIdRandom },
    );
  // Ids differ from job to job, so the digest leaves them out.
  const { source, sents } = freezeWith(facts, 0, 0);
  const said = JSON.stringify({
    ...source,
    messageIdRandom: '',
    expires: '',
    subject: sents[0]!.subject,
    sents: sents.map(({ content, senderAlias }) => [content, senderAlias]),
    name: campaign.parameters.name,
  });
  const { idJob, idSent, frozen } = await addSingleJob(tx, facts, {
    day: parisDayOf(at).toString(),
    version: createHash('sha256').update(said).digest('base64url'),
    at,
    freeze: (idJob, idSent) => freezeWith(facts, idJob, idSent),
  });
  return {
    idSent,
    isTransactional: isTransactional(facts.campaign),
    needs: needsOf(frozen, idSent),
    facts,
    freeze: (of) => freezeWith(of, idJob, idSent),
  };
}

/** @throws 422 that names everything that keeps a message from being built */
export function checkMessage(facts: SingleFacts): void {
  const { singleProblems } = checklistOf(facts);
  if (singleProblems.length > 0) throw refused(`The message is not ready: ${singleProblems.join('; ')}`);
}

/** The fields and data that messages of a frozen job show. @throws 422 for tags that cannot be filled */
export function needsOf(frozen: FrozenJob, idSent: number): MessageNeeds {
  const { errors, fields, data } = compileMessage(sourceOf(frozen, idSent));
  if (errors.length > 0)
    throw refused(
      `The message is not ready: ${[...new Set(errors.map(({ message }) => message))].join('; ')}`,
    );
  return { fields, data };
}

/** The identity and content of a job of single messages. */
interface SingleJob {
  /** The day in Paris, ISO 8601. */
  readonly day: string;
  /** Digest of the messages' content. */
  readonly version: string;
  readonly at: Date;
  freeze(idJob: number, idSent: number): FrozenJob;
}

/**
 * Returns the job of one version's single messages on one day, and adds it with its sending if it is the first. It has
 * no audience: its state is final from the start, so no schedule and no engine touches it, and its range only counts.
 * The caller has locked the campaign.
 * @throws 409 while sending is held
 */
async function addSingleJob(
  tx: SiteDb,
  { campaign, segments }: SingleFacts,
  { day, version, at, freeze }: SingleJob,
): Promise<{ idJob: number; idSent: number; frozen: FrozenJob }> {
  const known = await tx.first<{ idJob: number; idSent: number }>(sql`
    select j.id as "idJob", s.id as "idSent"
    from ${tx.t.job} j join ${tx.t.sent} s on s.id_job = j.id
    where j.id_campaign = ${campaign.id} and j.single_day = ${day}::date and j.single_version = ${version}`);
  if (known) return { ...known, frozen: await frozenJob(tx, known.idJob) };
  await refuseWhileHeld(tx);
  const idJob = await tx.value<number>(sql`
    insert into ${tx.t.job} (id_campaign, is_test, state, author, campaign_name, subject, created_at, scheduled_at,
      started_at, ended_at, nb_segments, single_day, single_version)
    values (${campaign.id}, false, 'Finished', ${campaign.authorName}, ${campaign.parameters.name},
      ${campaign.parameters.subject}, ${at}, ${at}, ${at}, ${at}, 1, ${day}::date, ${version})
    returning id`);
  await keepSendings(tx, campaign.id, segments);
  const sents = segments.map((segment) => ({ segment, filterName: '', startedAt: at }));
  const idSent = (await addSents(tx, { id: idJob, idCampaign: campaign.id }, sents))[0]!;
  const frozen = freeze(idJob, idSent);
  await tx.run(sql`
    update ${tx.t.job}
    set frozen = ${JSON.stringify(frozen)}::jsonb, sender_domain = ${domainOf(frozen.source.from.email)},
      nb_links = ${judgeMessages(frozen).nbLinks}
    where id = ${idJob}`);
  await tx.run(sql`
    insert into ${tx.t.recipient_range} (id_job, number, id_sent, subscribers, is_done)
    values (${idJob}, 1, ${idSent}, '{}', true)`);
  return { idJob, idSent, frozen };
}

/** The subscriber properties of a call, in the order in which they are checked. */
function wantedOf(send: SingleSend): { name: string; wanted: Wanted }[] {
  const { subscriberId, subscriberSHA256: sha256, subscriberMD5: md5, clientId } = send;
  for (const [name, digits, value] of [
    ['subscriberSHA256', 64, sha256],
    ['subscriberMD5', 32, md5],
  ] as const)
    if (value && !new RegExp(`^[0-9a-f]{${digits}}$`, 'i').test(value))
      throw invalid(`${name}: must be ${digits} hexadecimal digits`);
  const given: readonly (readonly [string, Wanted['kind'], string])[] = [
    ['subscriberSHA256', 'SHA2_256', sha256 ?? ''],
    ['subscriberMD5', 'MD5', md5 ?? ''],
    ['subscriberId', 'id', subscriberId ? String(subscriberId) : ''],
    ['clientId', 'client', clientId ? String(clientId) : ''],
  ];
  const named = given.filter(([, , value]) => value !== '');
  if (named.length === 0)
    throw invalid(
      'subscriberId: must name a subscriber; or give subscriberSHA256, subscriberMD5 or clientId',
    );
  return named.map(([name, kind, value], n) => ({ name, wanted: { kind, values: [value], positions: [n] } }));
}

/**
 * Returns the eligible subscriber of a call.
 * @throws 404 if none is found, 422 if the properties name several, or the subscriber is not eligible
 */
export async function readerOf(
  db: SiteDb,
  send: SingleSend,
  { isTransactional }: SingleVersion,
): Promise<number> {
  const named = wantedOf(send);
  return withFieldSet(db, async (set) => {
    for (const [n, id] of (send.idFields ?? []).entries())
      if (!set.byId.has(id))
        throw invalid(`idFields[${n}]: there is no field ${id}; list fields of the site`);
    const fields = [set.byId.get(7)!, set.byId.get(44)!];
    const wanted = named.map((one) => one.wanted);
    const found = await findSubscribers(db, wanted, set, fields);
    if (!found) return undefined;
    const first = found.get(0);
    if (!first) throw notFound('Subscriber', named[0]!.name);
    named.forEach(({ name }, n) => {
      if (found.get(n)?.fld0 === first.fld0) return;
      throw refused(
        `${name}: names another subscriber than ${named[0]!.name}; give properties of one subscriber`,
      );
    });
    checkEligible(Number(first.fld7), Number(first.fld44), isTransactional);
    return Number(first.fld0);
  });
}

function checkEligible(status: number, delivery: number, isTransactional: boolean): void {
  if (delivery === deliveryState.hardBounced)
    throw refused("subscriberId: the subscriber's mailbox does not exist; correct the address first");
  if (delivery === deliveryState.complained)
    throw refused('subscriberId: the subscriber has complained about your messages and gets no more of them');
  if (status !== 0 && !isTransactional)
    throw refused(
      'subscriberId: the subscriber has unsubscribed; only campaigns of type Transac can be sent to them',
    );
}

/** @throws 422 for a message that shows fields that the call does not list, or data that it does not give */
export function checkNeeds(
  { fields, data }: MessageNeeds,
  send: SingleSend,
  given: ReadonlyMap<string, string>,
): void {
  const listed = new Set(send.idFields ?? usualFields);
  const hidden = fields.filter((id) => !listed.has(id));
  if (hidden.length > 0)
    throw refused(
      `idFields: the message shows the fields ${hidden.join(', ')}, which are not listed; add them`,
    );
  const missing = data.filter((name) => !given.has(name));
  if (missing.length > 0)
    throw refused(
      `emailData: the message shows ${missing.map((name) => `'${name}'`).join(', ')}; give a value of each`,
    );
}

const hourMs = 3_600_000;
/** Time within which a caller may repeat a call. */
const keysKeptMs = 24 * hourMs;
/** Time for which the web version shows a message's own parts, which are personal data. */
const partsKeptMs = 30 * 24 * hourMs;

/** Deletes idempotency keys after 24 hours, and the own parts of single messages 30 days after their end. */
export const forgetSingles = task({
  name: 'forgetSingles',
  cron: '17 * * * *',
  async run(app) {
    const now = app.clock.now().getTime();
    await forEachSite(app, 'single messages not deleted', async (db) => {
      await forgetKeys(db, new Date(now - keysKeptMs));
      await forgetParts(db, new Date(now - partsKeptMs));
    });
  },
});
