import { countersOfSents } from '../activity/counter-store.ts';
import { noCounters } from '../activity/counters.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sent, type SentContent, type SentRecord, showSent } from './sent.ts';
import { contentsOfSents } from './sent-store.ts';

/** Contents in one answer. Fifty segments of 500,000 characters fit. */
const maxCharacters = 32_000_000;

const noContent: SentContent = { html: null, text: null };

/** Sents as the API shows them, with their counters of this moment and (newest first, see above) their contents. */
export async function showSents(
  db: SiteDb,
  records: readonly SentRecord[],
  hasContent: boolean,
): Promise<Sent[]> {
  const ids = records.map((record) => record.idSent);
  const counters = await countersOfSents(db, ids);
  const contents = await contentsOfSents(db, hasContent ? ids : [], maxCharacters);
  return records.map((record) => {
    const content = contents.get(record.idSent) ?? noContent;
    return showSent(record, counters.get(record.idSent) ?? noCounters, content);
  });
}
