import type { AbTestType } from '../campaigns/ab-test.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { StoredAbTest, VariantResult } from './ab-test.ts';
import type { FrozenJob } from './frozen-job.ts';

/**
 * Records that a frozen job is an A/B test and which of its sendings is the remainder. Without recipients in the
 * remainder there is no test.
 */
export async function addAbTest(
  tx: SiteDb,
  idJob: number,
  idRemainder: number,
  type: AbTestType,
): Promise<void> {
  await tx.run(sql`
    insert into ${tx.t.ab_test} (id_job, id_remainder, type)
    select ${idJob}::int, ${idRemainder}::int, ${type}
    where exists (
      select from ${tx.t.recipient_range} where id_job = ${idJob} and id_sent = ${idRemainder})`);
}

/** Records when the winner is due. If another process has recorded it, the earlier time stays. */
export async function setDue(db: SiteDb, idJob: number, dueAt: Date): Promise<void> {
  await db.run(sql`update ${db.t.ab_test} set due_at = ${dueAt} where id_job = ${idJob} and due_at is null`);
}

/**
 * Whether a recipient of the variants has not been attempted yet. Deferred and uncertain recipients were attempted.
 * Ranges are leased in order, so the last ones are read first: they have the answer early.
 */
export async function hasUntried(db: SiteDb, idJob: number): Promise<boolean> {
  const { t } = db;
  return db.value<boolean>(sql`
    select exists (
      select
      from (
        select r.number, r.subscribers, r.lease_epoch
        from ${t.recipient_range} r join ${t.ab_test} a on a.id_job = r.id_job and a.id_remainder <> r.id_sent
        where r.id_job = ${idJob} and not r.is_done
        order by r.number desc
        offset 0) open
      where open.lease_epoch = 0 or exists (
        select id from unnest(open.subscribers) id
        except
        select o.id
        from ${t.send_log} l, unnest(l.outcomes, l.states) o (id, state)
        where l.id_job = ${idJob} and l.range_number = open.number and o.state <> 0)) as has`);
}

interface DueTest {
  readonly type: AbTestType;
  readonly idRemainder: number;
  readonly frozen: FrozenJob;
}

/**
 * Returns the test of a sending job if its winner is due. Locks the job and the test: a pause or a stop comes before
 * the choice or after it, and a second process waits and finds the test decided.
 */
export async function lockDueTest(tx: SiteDb, idJob: number, at: Date): Promise<DueTest | undefined> {
  return tx.first<DueTest>(sql`
    select a.type, a.id_remainder as "idRemainder", j.frozen
    from ${tx.t.job} j join ${tx.t.ab_test} a on a.id_job = j.id
    where j.id = ${idJob} and j.state = 'Sending' and a.decided_at is null and a.due_at <= ${at}
    for no key update`);
}

/** Records the choice and releases the remainder's ranges with their final messages. */
export async function decide(
  tx: SiteDb,
  idJob: number,
  of: DueTest & { readonly idWinner: number; readonly results: readonly VariantResult[] },
  at: Date,
): Promise<void> {
  const { t } = tx;
  await tx.run(sql`
    update ${t.ab_test}
    set decided_at = ${at}, id_winner = ${of.idWinner}, results = ${JSON.stringify(of.results)}::jsonb
    where id_job = ${idJob}`);
  await tx.run(sql`update ${t.job} set frozen = ${JSON.stringify(of.frozen)}::jsonb where id = ${idJob}`);
  await tx.run(sql`update ${t.sent} set started_at = ${at} where id = ${of.idRemainder}`);
  if (of.type === 'Content') {
    await tx.run(sql`
      update ${t.sent} set advertisements = (select advertisements from ${t.sent} where id = ${of.idWinner})
      where id = ${of.idRemainder}`);
  }
  await tx.run(sql`
    update ${t.recipient_range} set not_before = null where id_job = ${idJob} and id_sent = ${of.idRemainder}`);
}

/** The A/B tests of a campaign's jobs, oldest first. */
export async function abTestsOf(db: SiteDb, idCampaign: number): Promise<StoredAbTest[]> {
  const { t } = db;
  return db.rows<StoredAbTest & Record<string, unknown>>(sql`
    select a.id_job as "idJob", a.type, a.id_remainder as "idRemainder", a.due_at as "dueAt",
      a.decided_at as "decidedAt", a.id_winner as "idWinner", a.results,
      (select coalesce(jsonb_agg(jsonb_build_object('idSent', s.id, 'name', s.segment_name,
          'tested', case a.type when 'Subject' then coalesce(f.one ->> 'subject', j.subject)
            when 'Sender' then coalesce(f.one ->> 'senderAlias', '') else '' end) order by s.position), '[]')
        from ${t.sent} s left join lateral (
          select one from jsonb_array_elements(j.frozen -> 'sents') one
          where (one #>> '{conf,idSent}')::int = s.id) f on true
        where s.id_job = j.id and s.id <> a.id_remainder) as variants
    from ${t.ab_test} a join ${t.job} j on j.id = a.id_job
    where j.id_campaign = ${idCampaign}
    order by a.id_job`);
}
