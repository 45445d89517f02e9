import type { TagField } from '../contents/tag.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { FrozenJob } from '../sending/frozen-job.ts';
import { offerJob } from '../sending/job-store.ts';
import { makeJob } from './make-sent.ts';
import { until } from './until.ts';

export interface SendingOptions {
  readonly recipients: number;
  readonly rangeSize?: number;
  readonly sendingSpeed?: number;
  readonly html?: string;
  readonly text?: string;
  readonly links?: FrozenJob['source']['links'];
  readonly isTest?: boolean;
  readonly fields?: readonly TagField[];
  /** Addresses are `r<n>-<idJob>@<domain>`, n from 1. */
  readonly domain?: string;
  /** The domain of every other one; `domain` if omitted. */
  readonly domainOfEveryOther?: string;
}

export interface MadeSending {
  readonly idCampaign: number;
  readonly idJob: number;
  readonly idSent: number;
}

/** A job as its generation leaves it: an audience frozen in ranges, messages frozen, offered to the engine. */
export async function makeSending(db: SiteDb, options: SendingOptions): Promise<MadeSending> {
  const { recipients, rangeSize = 1000, isTest = false, domain = 'example.org' } = options;
  const other = options.domainOfEveryOther ?? domain;
  const made = await makeJob(db, { state: 'Sending', isTest, nbAddressToSend: recipients });
  const idSent = made.idsSent[0]!;
  await db.transaction(async (tx) => {
    await tx.run(
      sql`update ${tx.t.campaign} set schedule_state = 'InProgress' where id = ${made.idCampaign}`,
    );
    await tx.run(sql`
      insert into ${tx.t.subscriber} (fld1)
      select 'r' || n || '-' || ${made.idJob}::int || '@' || case when n % 2 = 1 then ${domain}::text else ${other} end
      from generate_series(1, ${recipients}::int) n`);
    await tx.run(sql`
      insert into ${tx.t.recipient_range} (id_job, number, id_sent, subscribers)
      select ${made.idJob}, number, ${idSent}, array_agg(fld0 order by fld0)
      from (select fld0, (row_number() over (order by fld0) - 1) / ${rangeSize}::int + 1 as number
        from ${tx.t.subscriber} where fld1 like ${`r%-${made.idJob}@%`}) numbered
      group by number`);
    const frozen = JSON.stringify(frozenJob(db, made.idCampaign, made.idJob, idSent, options));
    await tx.run(sql`update ${tx.t.job} set frozen = ${frozen}::jsonb where id = ${made.idJob}`);
    await offerJob(tx, made.idJob);
  });
  return { idCampaign: made.idCampaign, idJob: made.idJob, idSent };
}

/** The frozen data of a job of one sending. */
export function frozenJob(
  db: SiteDb,
  idCampaign: number,
  idJob: number,
  idSent: number,
  options: Partial<SendingOptions> = {},
): FrozenJob {
  const conf = {
    idSite: db.site.name,
    idCampaign,
    campaignName: 'News',
    idJob,
    idSegment: 1,
    segmentName: 'All',
    idSent,
    date: '2026-11-20T10:00:00.000Z',
  };
  return {
    source: {
      from: { email: 'news@news.example.com', alias: 'News' },
      replyTo: null,
      recipientAlias: '',
      html: options.html ?? '<p>Hello [[FLD.1]]</p><a href="[[LINK.UNSUB]]">unsubscribe</a>',
      text: options.text ?? 'Hello [[FLD.1]]',
      links: options.links ?? [],
      hasPixel: true,
      hasListUnsubscribe: true,
      listId: 'demo.news.example.com',
      feedbackId: '',
      messageIdDomain: 'mail.test',
      fields: options.fields ?? [{ id: 1, fieldType: 'Text' }],
    },
    sents: [{ subject: 'Hello', conf }],
    sendingSpeed: options.sendingSpeed ?? 0,
    bounceDomain: 'mail.test',
    publicUrl: 'http://mail.test',
  };
}

/** The result of a job. */
export interface SendingResult {
  readonly state: string;
  readonly scheduleState: string;
  readonly open: number;
  /** Receipts by state (see receiptStates). */
  readonly receipts: Readonly<Record<number, number>>;
  readonly logRows: number;
}

export async function sendingResult(db: SiteDb, made: MadeSending): Promise<SendingResult> {
  return db.one<Omit<SendingResult, 'receipts'> & { receipts: Record<number, number> }>(sql`
    select j.state, c.schedule_state as "scheduleState",
      (select count(*) from ${db.t.recipient_range} r where r.id_job = j.id and not is_done) as open,
      (select count(*) from ${db.t.send_log} l where l.id_job = j.id) as "logRows",
      (select coalesce(jsonb_object_agg(state, n), '{}') from
        (select state, count(*) as n from ${db.t.receipt} where id_sent = ${made.idSent} group by state) s) as receipts
    from ${db.t.job} j join ${db.t.campaign} c on c.id = j.id_campaign
    where j.id = ${made.idJob}`);
}

/** Waits until the job is Finished, with errors or without, when every recipient has a final state; its result. */
export async function sendingFinished(
  db: SiteDb,
  made: MadeSending,
  timeoutMs?: number,
): Promise<SendingResult> {
  const isFinished = async () => (await sendingResult(db, made)).state.startsWith('Finished');
  await until(isFinished, 'the job is finished', timeoutMs);
  return sendingResult(db, made);
}
