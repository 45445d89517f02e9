import type { SiteDb } from '../platform/db/site-db.ts';
import { getCampaign } from './campaign-store.ts';
import { messageDigests } from './message-digest.ts';
import { type MessageParts, messagePartsOf } from './message-parts.ts';
import type { Segment } from './segment.ts';
import { linksInContent } from './tracked-link.ts';
import { linksForMessages } from './tracked-link-store.ts';

/** The segments of one campaign, by id, whose last spam score is that of their message as it is now. */
export async function validScores(db: SiteDb, segments: readonly Segment[]): Promise<ReadonlySet<number>> {
  const scored = segments.find(hasScore);
  if (!scored) return new Set();
  return validAmong(db, await messagePartsOf(db, await getCampaign(db, scored.idCampaign)));
}

/** Whether each segment that sends has a spam score of its message as it is now. */
export async function areAllScored(db: SiteDb, parts: MessageParts): Promise<boolean> {
  const sending = parts.segments.filter(({ parameters }) => !parameters.isExcluded);
  if (sending.length === 0 || !sending.every(hasScore)) return false;
  const valid = await validAmong(db, parts);
  return sending.every(({ id }) => valid.has(id));
}

const hasScore = ({ scores }: Segment): boolean => typeof scores?.spamScore === 'number';

async function validAmong(db: SiteDb, parts: MessageParts): Promise<ReadonlySet<number>> {
  const { asSent, configuration, segments, placements } = parts;
  const sending = segments.filter(({ parameters }) => !parameters.isExcluded);
  const standing = linksInContent(asSent, configuration, sending, placements);
  const digests = messageDigests(parts, await linksForMessages(db, asSent.id, standing));
  const valid = segments.filter((one) => hasScore(one) && digests.get(one.id) === one.scores?.message);
  return new Set(valid.map(({ id }) => id));
}
