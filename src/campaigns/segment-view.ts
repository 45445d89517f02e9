import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound } from '../platform/http/refusal.ts';
import type { Static } from '../platform/http/schema.ts';
import { unsafeTargets } from '../targets/target-store.ts';
import { getCampaign } from './campaign-store.ts';
import { type Segment, type SegmentReply, showSegment } from './segment.ts';
import { findSegment } from './segment-store.ts';

/** Segments as the API shows them, in the same order. */
export async function showSegments(
  db: SiteDb,
  segments: readonly Segment[],
): Promise<Static<typeof SegmentReply>[]> {
  const targets = segments.map((segment) => segment.parameters.idTarget);
  const unsafe = new Set(await unsafeTargets(db, targets));
  return segments.map((segment) => showSegment(segment, !unsafe.has(segment.parameters.idTarget)));
}

/** The segment at a position of a campaign. @throws 404, for the campaign or for the segment */
export async function getSegmentAt(db: SiteDb, idCampaign: number, position: number): Promise<Segment> {
  const segment = await findSegment(db, idCampaign, position);
  if (segment) return segment;
  await getCampaign(db, idCampaign);
  throw notFound('Segment');
}
