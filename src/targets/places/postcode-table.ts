import { type Country, type CountryName, countries, placeKeyOf } from './country.ts';

/** A postcode and where it is. */
export interface Place {
  readonly country: CountryName;
  /** The compared form; for the United Kingdom, the outward code. */
  readonly code: string;
  readonly latitude: number;
  readonly longitude: number;
}

const earthRadiusKm = 6371.0088;
const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

type Point = Pick<Place, 'latitude' | 'longitude'>;

/**
 * The great-circle distance between two points in km, by the haversine formula, which is exact for small distances too.
 */
export function distanceKm(a: Point, b: Point): number {
  const [lat1, lat2] = [radians(a.latitude), radians(b.latitude)];
  const half = (angle: number) => Math.sin(angle / 2) ** 2;
  const h = half(lat2 - lat1) + Math.cos(lat1) * Math.cos(lat2) * half(radians(b.longitude - a.longitude));
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(h)));
}

/**
 * All known postcodes in memory: 15,000 with the files of the three countries, 2 MB. A search within a radius takes a
 * band of latitudes by binary search, then a box in it, before it calculates any distance.
 */
export class PostcodeTable {
  readonly #byLatitude: readonly Place[];
  readonly #byKey: ReadonlyMap<string, Place>;
  /** Countries that have only the starter table. */
  readonly starterOnly: ReadonlySet<CountryName>;

  constructor(places: readonly Place[], starterOnly: Iterable<CountryName> = []) {
    this.#byLatitude = [...places].sort((a, b) => a.latitude - b.latitude);
    this.#byKey = new Map(places.map((place) => [`${place.country} ${place.code}`, place]));
    this.starterOnly = new Set(starterOnly);
  }

  /** The place of a postcode; undefined for an unknown one. */
  find(country: CountryName, key: string): Place | undefined {
    return this.#byKey.get(`${country} ${placeKeyOf(countries[country], key)}`);
  }

  /**
   * The places of these countries at most `km` from one of the points, across the date line too. Skips places that were
   * already found: 1,000 circles of 1,000 km took 7 s of the process.
   */
  within(of: readonly Country[], centres: readonly Point[], km: number): Place[] {
    const names = new Set(of.map(({ name }) => name));
    const found = new Set<Place>();
    for (const centre of centres) this.#addWithin(found, names, centre, km);
    return [...found];
  }

  #addWithin(found: Set<Place>, names: ReadonlySet<CountryName>, centre: Point, km: number): void {
    const { low, high, longitudes } = boxAround(centre, km);
    for (let i = this.#firstFrom(low); i < this.#byLatitude.length; i++) {
      const place = this.#byLatitude[i]!;
      if (place.latitude > high) break;
      if (found.has(place) || !names.has(place.country)) continue;
      if (apart(place.longitude, centre.longitude) > longitudes) continue;
      if (distanceKm(centre, place) <= km) found.add(place);
    }
  }

  /** The index of the first place at or above a latitude. */
  #firstFrom(latitude: number): number {
    let [low, high] = [0, this.#byLatitude.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#byLatitude[middle]!.latitude < latitude) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Degrees between two longitudes, the short way round. */
function apart(a: number, b: number): number {
  const difference = Math.abs(a - b) % 360;
  return difference > 180 ? 360 - difference : difference;
}

/** A box slightly larger than a circle: its latitudes, and the longitudes to either side. */
function boxAround({ latitude }: Point, km: number): { low: number; high: number; longitudes: number } {
  const angle = km / earthRadiusKm;
  const [low, high] = [latitude - degrees(angle) - 1e-9, latitude + degrees(angle) + 1e-9];
  // A circle around a pole has all longitudes.
  if (low <= -90 || high >= 90 || angle >= Math.PI / 2) return { low, high, longitudes: 180 };
  return { low, high, longitudes: degrees(Math.asin(Math.sin(angle) / Math.cos(radians(latitude)))) + 1e-9 };
}
