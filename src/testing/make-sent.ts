import { receiptStates } from '../activity/receipt.ts';
import { recordReceipts } from '../activity/receipt-store.ts';
import { segmentParameters } from '../campaigns/segment.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

export interface SentOptions {
  readonly idCampaign?: number;
  readonly campaignName?: string;
  /** The document's campaign type. */
  readonly type?: string;
  readonly isTest?: boolean;
  readonly state?: string;
  readonly author?: string;
  readonly startedAt?: Date;
  readonly nbAddressToSend?: number;
  readonly senderDomain?: string;
  readonly errorInfo?: string | null;
  /** Sendings of the job; one by default. */
  readonly sents?: number;
}

export interface MadeJob {
  readonly idCampaign: number;
  readonly idJob: number;
  readonly idsSent: readonly number[];
}

const segment = JSON.stringify(segmentParameters({ name: 'All', idTarget: 1, percent: 100, fixedValues: 0 }));

const someDay = new Date('2026-11-19T09:00:00Z');

/** A job that ran, with its sendings, as the engine leaves them: for tests of what comes after a sending. */
export async function makeJob(db: SiteDb, options: SentOptions = {}): Promise<MadeJob> {
  const {
    campaignName = 'News',
    type = 'Newsletter',
    isTest = false,
    state = 'Finished',
    author = 'Ada',
    startedAt = someDay,
    nbAddressToSend = 0,
    senderDomain = 'news.example.com',
    errorInfo = null,
    sents = 1,
  } = options;
  return db.transaction(async (tx) => {
    const parameters = JSON.stringify({ name: campaignName, type, subject: 'Hello' });
    const insert = sql`
      insert into ${tx.t.campaign} (id_user, author, name, parameters, created_at, updated_at)
      values (1, ${author}, ${campaignName}, ${parameters}, ${startedAt}, ${startedAt}) returning id`;
    const idCampaign = options.idCampaign ?? (await tx.value<number>(insert));
    const idJob = await tx.value<number>(sql`
      insert into ${tx.t.job} (id_campaign, is_test, state, author, campaign_name, subject, sender_domain, created_at,
        scheduled_at, started_at, error_info, nb_segments, nb_links, nb_pub_insert)
      values (${idCampaign}, ${isTest}, ${state}, ${author}, ${campaignName}, 'Hello', ${senderDomain}, ${startedAt},
        ${startedAt}, ${startedAt}, ${errorInfo}, ${sents}, 3, 0)
      returning id`);
    const idsSent: number[] = [];
    for (let position = 1; position <= sents; position++) {
      const insertSent = sql`
        with sending as (
          insert into ${tx.t.sending} (id_campaign, id_segment, position, name)
          values (${idCampaign}, ${position}, ${position}, 'All')
          on conflict (id_campaign, id_segment) do update set name = excluded.name
          returning id)
        insert into ${tx.t.sent} (id_job, id_sending, position, segment_name, id_target, filter_name, parameters,
          started_at, nb_address_to_send)
        select ${idJob}::int, id, ${position}::int, 'All', 1, 'All', ${segment}::jsonb, ${startedAt}::timestamptz,
          ${nbAddressToSend}::int
        from sending
        returning id`;
      idsSent.push(await tx.value<number>(insertSent));
    }
    return { idCampaign, idJob, idsSent };
  });
}

/**
 * Stores a range of a sending's audience that was handed over: its sums, and the receipts that they count. Times are
 * those of the clock unless they are given.
 */
export async function makeReceipts(
  db: SiteDb,
  idJob: number,
  idSent: number,
  of: {
    readonly accepted: readonly number[];
    readonly refused?: readonly number[];
    readonly expired?: readonly number[];
    /** The answer to the final dot was lost. */
    readonly uncertain?: readonly number[];
    /** The provider of each subscriber; none by default. */
    readonly providerOf?: (id: number) => number;
    /** The time of all receipts, or of each subscriber's. */
    readonly at?: Date | ((id: number) => Date);
  },
): Promise<void> {
  const { accepted, refused = [], expired = [], uncertain = [], providerOf = () => 0, at = new Date() } = of;
  const results = [
    ...accepted.map((id) => ({ id, state: receiptStates.accepted, code: 250 })),
    ...refused.map((id) => ({ id, state: receiptStates.refused, code: 550 })),
    ...expired.map((id) => ({ id, state: receiptStates.expired, code: 451 })),
    ...uncertain.map((id) => ({ id, state: receiptStates.uncertain, code: 0 })),
  ];
  const idSubscribers = results.map(({ id }) => id);
  await db.run(sql`
    insert into ${db.t.recipient_range}
      (id_job, number, id_sent, subscribers, is_done, nb_accepted, nb_refused, nb_expired, nb_uncertain)
    select ${idJob}::int, coalesce(max(number), 0) + 1, ${idSent}::int, ${idSubscribers}::int[], true,
      ${accepted.length}::int, ${refused.length}::int, ${expired.length}::int, ${uncertain.length}::int
    from ${db.t.recipient_range} where id_job = ${idJob}`);
  await recordReceipts(db, {
    idSent,
    idSubscribers,
    states: results.map(({ state }) => state),
    codes: results.map(({ code }) => code),
    idProviders: results.map(({ id }) => providerOf(id)),
    times: idSubscribers.map((id) => (at instanceof Date ? at : at(id))),
  });
}

/** Stores a range that is being handed over, with its log: recipients that are not accepted were deferred. */
export async function makeOpenRange(
  db: SiteDb,
  idJob: number,
  idSent: number,
  of: { readonly subscribers: readonly number[]; readonly accepted: readonly number[]; readonly at: Date },
): Promise<void> {
  // The log's own number for one that was deferred, which no receipt has.
  const deferred = 10;
  const isAccepted = (id: number) => of.accepted.includes(id);
  const states = of.subscribers.map((id) => (isAccepted(id) ? receiptStates.accepted : deferred));
  const codes = of.subscribers.map((id) => (isAccepted(id) ? 250 : 451));
  await db.run(sql`
    with range as (
      insert into ${db.t.recipient_range} (id_job, number, id_sent, subscribers)
      select ${idJob}::int, coalesce(max(number), 0) + 1, ${idSent}::int, ${of.subscribers}::int[]
      from ${db.t.recipient_range} where id_job = ${idJob}
      returning number)
    insert into ${db.t.send_log} (id_job, range_number, epoch, at, intents, outcomes, states, codes)
    select ${idJob}::int, number, 1, ${of.at}::timestamptz, '{}', ${of.subscribers}::int[], ${states}::smallint[],
      ${codes}::smallint[]
    from range`);
}
