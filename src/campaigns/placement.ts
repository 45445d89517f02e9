import type { PlacedAdvertisement } from '../contents/place-advertisements.ts';
import { inOrder } from '../platform/http/schema.ts';
import { SegmentAdvertisement } from './segment.ts';

/** Maximum bytes of a campaign's HTML that was given for single places. */
export const maxOwnBytes = 8_000_000;

/** An advertisement at [[ENCART.<position>]] in the messages of a segment, with its current content. */
export interface Placement extends PlacedAdvertisement {
  readonly idSegment: number;
  readonly position: number;
  readonly idAdvertisement: number;
  /** The placement's own name, or the advertisement's. The same applies to `html`. */
  readonly name: string;
}

/** The placements of a segment, by position. */
export function placementsAt(
  placements: readonly Placement[],
  idSegment: number | undefined,
): ReadonlyMap<number, Placement> {
  const ofSegment = placements.filter((placement) => placement.idSegment === idSegment);
  return new Map(ofSegment.map((placement) => [placement.position, placement]));
}

export function showPlacements(placements: Iterable<Placement>): SegmentAdvertisement[] {
  return [...placements].map((one) => inOrder(SegmentAdvertisement, one));
}
