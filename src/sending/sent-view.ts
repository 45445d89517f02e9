import { countersOfSents } from '../activity/counter-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sent, type SentContent, type SentRecord, showSent } from './sent.ts';

/** Sents as the API shows them, with their counters of this moment, in the same order. */
export async function showSents(
  db: SiteDb,
  records: readonly SentRecord[],
  hasContent: boolean,
): Promise<Sent[]> {
  const counters = await countersOfSents(
    db,
    records.map((record) => record.idSent),
  );
  return records.map((record) =>
    showSent(record, counters.get(record.idSent)!, hasContent ? contentOf(record) : noContent),
  );
}

const noContent: SentContent = { html: null, text: null };
const contentOf = (_record: SentRecord): SentContent => noContent;
