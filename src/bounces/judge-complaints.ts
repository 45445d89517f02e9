import { bounceClasses } from '../activity/bounce.ts';
import { applyVerdict, countsSince, openPairs, type Pair } from '../alerts/alert-store.ts';
import { complaintWindows, verdictOn } from '../alerts/complaint-rate.ts';
import { notifyAlert } from '../alerts/notify-alert.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { keptIn } from '../platform/remembered.ts';
import { addTask } from '../platform/tasks.ts';
import { countAcceptedFrom } from '../sending/sent-store.ts';

const longestHours = Math.max(...complaintWindows.map(({ hours }) => hours));

interface ComplainedMessage {
  readonly senderDomain: string;
  /** 0 for a domain that belongs to no provider. */
  readonly idProvider: number;
  /** When a relay accepted the message; the start of its job while that is not recorded yet. */
  readonly sentAt: Date;
}

/**
 * Judges the complaints of a site: raises, changes and ends its alerts. A message counts in the window in which a relay
 * accepted it, so complaints about last week's mail do not suspend this week's.
 */
export async function judgeComplaints(app: App, db: SiteDb): Promise<void> {
  const at = app.clock.now();
  const idSite = db.site.id;
  const complaints = await complainedSince(db, hoursBefore(at, longestHours));
  const pairs = new Map<string, Pair & { readonly complaints: ComplainedMessage[] }>();
  const keyOf = ({ senderDomain, idProvider }: Omit<Pair, 'idSite'>) => `${idProvider} ${senderDomain}`;
  for (const pair of await openPairs(app.control, idSite))
    pairs.set(keyOf(pair), { ...pair, complaints: [] });
  for (const one of complaints) {
    const { senderDomain, idProvider } = one;
    const pair = keptIn(pairs, keyOf(one), () => ({ idSite, senderDomain, idProvider, complaints: [] }));
    pair.complaints.push(one);
  }
  for (const pair of pairs.values()) await judge(app, db, pair, at);
}

async function judge(
  app: App,
  db: SiteDb,
  { complaints, ...pair }: Pair & { readonly complaints: readonly ComplainedMessage[] },
  at: Date,
): Promise<void> {
  const unlockedAt = await countsSince(app.control, pair);
  const counts = new Map<number, { nbSent: number; nbComplaints: number }>();
  for (const { hours, leastComplaints } of complaintWindows) {
    const window = hoursBefore(at, hours);
    const since = unlockedAt && unlockedAt > window ? unlockedAt : window;
    const nbComplaints = complaints.filter(({ sentAt }) => sentAt > since).length;
    // With too few complaints to be judged, nothing needs to be counted.
    const isJudged = nbComplaints >= leastComplaints;
    const nbSent = isJudged ? await countAcceptedFrom(db, pair.senderDomain, pair.idProvider, since) : 0;
    counts.set(hours, { nbSent, nbComplaints });
  }
  const verdict = verdictOn((hours) => counts.get(hours)!);
  await app.control.transaction(async (tx) => {
    const raised = await applyVerdict(tx, pair, verdict, at);
    if (!raised) return;
    app.log.warn({ ...pair, ...verdict, id: raised.id }, 'complaints have raised an alert');
    const { level } = verdict;
    const jobKey = `alert ${raised.id} ${level}`;
    await addTask(tx, notifyAlert, { idSite: pair.idSite, id: raised.id, level }, { jobKey });
  });
}

/** The distinct messages with a complaint since an instant, without test mailings. */
async function complainedSince(db: SiteDb, since: Date): Promise<ComplainedMessage[]> {
  const { t } = db;
  return db.rows<ComplainedMessage>(sql`
    with complained as materialized (
      select distinct id_sent, id_subscriber from ${t.bounce}
      where class = ${bounceClasses.complaint} and at > ${since})
    select j.sender_domain as "senderDomain", coalesce(receipt.id_provider, d.id_provider, 0) as "idProvider",
      coalesce(receipt.at, s.started_at, j.created_at) as "sentAt"
    from complained c join ${t.sent} s on s.id = c.id_sent join ${t.job} j on j.id = s.id_job
      left join ${t.subscriber} reader on reader.fld0 = c.id_subscriber
      left join facteur.provider_domain d on d.domain = reader.fld37
      left join lateral (
        select one.id_provider, r.first_at + one.delay * interval '1 millisecond' as at
        from ${t.receipt_range} r, unnest(r.subscribers, r.id_providers, r.delays) one (id, id_provider, delay)
        where r.id_sent = c.id_sent and r.first_subscriber <= c.id_subscriber and r.last_subscriber >= c.id_subscriber
          and one.id = c.id_subscriber
        limit 1) receipt on true
    where not j.is_test and j.sender_domain is not null`);
}

const hoursBefore = (at: Date, hours: number) => new Date(at.getTime() - hours * 3_600_000);
