import type { PlacedAdvertisement } from '../contents/place-advertisements.ts';
import type { SegmentAdvertisement } from './segment.ts';

/** Advertisements of one segment. */
export const maxPlacements = 20;
/** Bytes of HTML that were given for places of a campaign, in total. */
export const maxOwnBytes = 8_000_000;

/** An advertisement at [[ENCART.<position>]] in the messages of a segment, with what is there now. */
export interface Placement extends PlacedAdvertisement {
  readonly idSegment: number;
  readonly position: number;
  readonly idAdvertisement: number;
  /** Its own, or else the advertisement's; so is `html`. */
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

/** Placements as the API shows them. */
export function showPlacements(placements: Iterable<Placement>): SegmentAdvertisement[] {
  return [...placements].map(({ position, idAdvertisement, name, html }) => ({
    position,
    idAdvertisement,
    name,
    html,
  }));
}
