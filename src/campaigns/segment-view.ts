import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound, tooLarge } from '../platform/http/refusal.ts';
import type { Static } from '../platform/http/schema.ts';
import { unsafeTargets } from '../targets/target-store.ts';
import { getCampaign } from './campaign-store.ts';
import { type Placement, showPlacements } from './placement.ts';
import { placementsOf } from './placement-store.ts';
import { type Segment, type SegmentReply, showSegment } from './segment.ts';
import { findSegment } from './segment-store.ts';
import { validScores } from './valid-scores.ts';

/** Characters of advertisements in one answer; those of a single segment always fit. */
const maxCharacters = 32_000_000;

/**
 * Segments of one campaign as the API shows them, in the same order.
 * @throws 413 when their advertisements are too large together
 */
export async function showSegments(
  db: SiteDb,
  segments: readonly Segment[],
): Promise<Static<typeof SegmentReply>[]> {
  const targets = segments.map((segment) => segment.parameters.idTarget);
  const unsafe = new Set(await unsafeTargets(db, targets));
  const placements = await placementsOf(db, segments);
  checkSize(placements);
  const valid = await validScores(db, segments);
  return segments.map((segment) =>
    showSegment(segment, {
      isSafe: !unsafe.has(segment.parameters.idTarget),
      isSpamScoreValid: valid.has(segment.id),
      advertisements: showPlacements(placements.filter((placement) => placement.idSegment === segment.id)),
    }),
  );
}

/** One advertisement may be in every segment, and be shown as often. */
function checkSize(placements: readonly Placement[]): void {
  const characters = placements.reduce((sum, placement) => sum + placement.html.length, 0);
  if (characters > maxCharacters)
    throw tooLarge(
      `The advertisements have more than ${maxCharacters} characters; request one segment at a time`,
    );
}

/** The segment at a position of a campaign. @throws 404, for the campaign or for the segment */
export async function getSegmentAt(db: SiteDb, idCampaign: number, position: number): Promise<Segment> {
  const segment = await findSegment(db, idCampaign, position);
  if (segment) return segment;
  await getCampaign(db, idCampaign);
  throw notFound('Segment');
}
