import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound, tooLarge } from '../platform/http/refusal.ts';
import type { Static } from '../platform/http/schema.ts';
import { unsafeTargets } from '../targets/target-store.ts';
import { getCampaign } from './campaign-store.ts';
import { type MessageParts, messagePartsOf } from './message-parts.ts';
import { showPlacements } from './placement.ts';
import { placementsOf } from './placement-store.ts';
import { type Segment, type SegmentReply, showSegment } from './segment.ts';
import { messageDigests } from './segment-messages.ts';
import { findSegment } from './segment-store.ts';
import { linksInContent } from './tracked-link.ts';
import { linksForMessages } from './tracked-link-store.ts';

/** Maximum characters of advertisements in one response; those of a single segment always fit. */
const maxCharacters = 32_000_000;

/** Segments of one campaign as the API returns them, in order. @throws 413 when their advertisements are too large */
export async function showSegments(
  db: SiteDb,
  segments: readonly Segment[],
): Promise<Static<typeof SegmentReply>[]> {
  const targets = segments.map((segment) => segment.parameters.idTarget);
  const unsafe = new Set(await unsafeTargets(db, targets));
  const placements = await placementsOf(db, segments);
  const characters = placements.reduce((sum, placement) => sum + placement.html.length, 0);
  if (characters > maxCharacters)
    throw tooLarge(
      `The advertisements have more than ${maxCharacters} characters; request one segment at a time`,
    );
  const valid = await validScores(db, segments);
  return segments.map((segment) =>
    showSegment(segment, {
      isSafe: !unsafe.has(segment.parameters.idTarget),
      isSpamScoreValid: valid.has(segment.id),
      advertisements: showPlacements(placements.filter((placement) => placement.idSegment === segment.id)),
    }),
  );
}

/** @throws 404 for the campaign or the segment */
export async function getSegmentAt(db: SiteDb, idCampaign: number, position: number): Promise<Segment> {
  const segment = await findSegment(db, idCampaign, position);
  if (segment) return segment;
  await getCampaign(db, idCampaign);
  throw notFound('Segment');
}

/** The ids of the segments whose last spam score belongs to their current message. */
async function validScores(db: SiteDb, segments: readonly Segment[]): Promise<ReadonlySet<number>> {
  const scored = segments.find(hasScore);
  if (!scored) return new Set();
  return validAmong(db, await messagePartsOf(db, await getCampaign(db, scored.idCampaign)));
}

/** Whether each segment that sends has a spam score of its current message. */
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
  const found = linksInContent(asSent, configuration, sending, placements);
  const digests = messageDigests(parts, await linksForMessages(db, asSent.id, found));
  const valid = segments.filter((one) => hasScore(one) && digests.get(one.id) === one.scores?.message);
  return new Set(valid.map(({ id }) => id));
}
