import { countersOfSents } from '../activity/counter-store.ts';
import { noCounters } from '../activity/counters.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sent, type SentContent, type SentRecord, showSent } from './sent.ts';
import { contentsOfJobs } from './sent-store.ts';

const noContent: SentContent = { html: null, text: null };

/** Sents as the API shows them, with their counters of this moment, in the same order. */
export async function showSents(
  db: SiteDb,
  records: readonly SentRecord[],
  hasContent: boolean,
): Promise<Sent[]> {
  const ids = records.map((record) => record.idSent);
  const counters = await countersOfSents(db, ids);
  const jobs = hasContent ? records.map((record) => record.idJob) : [];
  const contents = await contentsOfJobs(db, [...new Set(jobs)]);
  return records.map((record) => {
    const content = contents.get(record.idJob) ?? noContent;
    return showSent(record, counters.get(record.idSent) ?? noCounters, content);
  });
}
