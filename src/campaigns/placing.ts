import type { PlacedAdvertisement } from '../contents/place-advertisements.ts';
import type { SegmentAdvertisement } from './segment.ts';

/** Advertisements of one segment. */
export const maxPlacings = 20;
/** Bytes of HTML that were given for places of a campaign, in all. */
export const maxOwnBytes = 8_000_000;

/** An advertisement at [[ENCART.<position>]] in the messages of a segment, with what stands there now. */
export interface Placing extends PlacedAdvertisement {
  readonly idSegment: number;
  readonly position: number;
  readonly idAdvertisement: number;
  /** Its own, or else the advertisement's; so is `html`. */
  readonly name: string;
}

/** The placings of a segment, by position. */
export function placingsAt(
  placings: readonly Placing[],
  idSegment: number | undefined,
): ReadonlyMap<number, Placing> {
  const ofSegment = placings.filter((placing) => placing.idSegment === idSegment);
  return new Map(ofSegment.map((placing) => [placing.position, placing]));
}

/** Placings as the API shows them. */
export function showPlacings(placings: Iterable<Placing>): SegmentAdvertisement[] {
  return [...placings].map(({ position, idAdvertisement, name, html }) => ({
    position,
    idAdvertisement,
    name,
    html,
  }));
}
