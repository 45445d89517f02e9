import fc from 'fast-check';
import type { Database } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** A place of a small table of postcodes of the tests' own, with the kilometres east of the first one. */
interface ModelPlace {
  readonly country: 'FRANCE' | 'UNITED_KINGDOM' | 'BELGIQUE';
  readonly code: string;
  readonly km: number;
}

/** On the equator, where a degree is 111.195 km, so that a distance is a difference. */
export const modelPlaces: readonly ModelPlace[] = [
  { country: 'FRANCE', code: '75001', km: 0 },
  { country: 'FRANCE', code: '59000', km: 10 },
  { country: 'BELGIQUE', code: '7500', km: 15 },
  { country: 'UNITED_KINGDOM', code: 'CT1', km: 30 },
  { country: 'FRANCE', code: '20200', km: 42 },
  { country: 'UNITED_KINGDOM', code: 'SW1A', km: 50 },
  { country: 'BELGIQUE', code: '1000', km: 60 },
  { country: 'FRANCE', code: '97400', km: 900 },
];

/** Kilometres of a degree on the equator. */
export const kmOfDegree = (Math.PI * 6371.0088) / 180;

/** Where a subscriber may live. */
export const modelPostcodes = [
  ...['75001', '59000', '20200', '97400', '75999', '7500', '1000', 'CT1 2AB', 'ct12ab', 'CT1'],
  ...['SW1A 1AA', 'sw1a'],
  ...['SW1A2AA', 'CT12 1AB', 'X', '', null],
  // As people and spreadsheets write them.
  ...['75 001', ' 59000', '20\u00a0200', '9 74\t00', '7 500', '10\u202f00', 'sw1a\u00a01aa', '75 0011'],
  ...['7 5001 '],
];
export const modelCountries = ['FR', 'BE', 'GB', 'RE', 'DE', 'fr', null];

export interface Geolocation {
  readonly country: 'FRANCE' | 'UNITED_KINGDOM' | 'BELGIQUE' | '_NBCountry' | null;
  readonly postcode: string | null;
  readonly radius: number | null;
  readonly excludePostCodes: string | null;
  readonly departmentIds: string | null;
}

interface Resident {
  readonly postcode: string | null;
  readonly country: string | null;
}

/** Whether a geolocation filter selects somebody, from the words of the rule. */
export function livesThere(filter: Geolocation, who: Resident): boolean {
  const home = homeOf(who);
  const countries = filter.country && filter.country !== '_NBCountry' ? [filter.country] : undefined;
  if (countries && !(home.country && countries.includes(home.country))) return false;
  if (list(filter.excludePostCodes).some((code) => isAt(home, code))) return false;
  const codes = list(filter.postcode);
  const departments = list(filter.departmentIds);
  if (codes.length === 0 && departments.length === 0) return true;
  if (departments.includes(departmentOf(home) ?? '')) return true;
  if (filter.radius === null) return codes.some((code) => isAt(home, code));
  const place = placeOf(home.country, home.code);
  return (
    place !== undefined &&
    codes.some((code) => Math.abs(placeOf(formOf(clean(code)), clean(code))!.km - place.km) <= filter.radius!)
  );
}

interface Home {
  readonly country: ModelPlace['country'] | undefined;
  readonly code: string;
}

function homeOf({ postcode, country }: Resident): Home {
  const code = (postcode ?? '').replaceAll(/\s/g, '').toUpperCase();
  const isFrench = country === null && /^\d{5}$/.test(code);
  if (country === 'FR' || country === 'RE' || isFrench) return { country: 'FRANCE', code };
  if (country === 'BE') return { country: 'BELGIQUE', code };
  return { country: country === 'GB' ? 'UNITED_KINGDOM' : undefined, code };
}

const list = (text: string | null) => (text ?? '').split(';').filter(Boolean);
const clean = (given: string) => given.replaceAll(' ', '').toUpperCase();
const formOf = (code: string) =>
  /^\d{5}$/.test(code) ? 'FRANCE' : /^\d{4}$/.test(code) ? 'BELGIQUE' : ('UNITED_KINGDOM' as const);
const outward = (code: string) => (/^.{2,4}\d[A-Z]{2}$/.test(code) ? code.slice(0, -3) : code);

/** A British outward code is every postcode that begins with it; anything else is one postcode. */
function isAt(home: Home, given: string): boolean {
  const code = clean(given);
  if (home.country !== formOf(code)) return false;
  return home.code === code || (home.country === 'UNITED_KINGDOM' && outward(home.code) === code);
}

function placeOf(country: Home['country'], code: string): ModelPlace | undefined {
  return modelPlaces.find(
    (one) => one.country === country && one.code === (country === 'UNITED_KINGDOM' ? outward(code) : code),
  );
}

function departmentOf({ country, code }: Home): string | undefined {
  if (country !== 'FRANCE' || !/^\d{5}$/.test(code)) return undefined;
  return code.startsWith('202') ? '2B' : code.startsWith('97') ? code.slice(0, 3) : code.slice(0, 2);
}

const codesOf = (country: Geolocation['country']) => {
  const own = modelPlaces.filter((one) => !country || country === '_NBCountry' || one.country === country);
  const whole = own.some((one) => one.code === 'SW1A') ? ['SW1A 1AA'] : [];
  return fc
    .array(fc.constantFrom(...own.map((one) => one.code), ...whole), { maxLength: 3 })
    .map((list) => list.join(';') || null);
};

/** Any geolocation filter over the places of the model; it may hold no condition. */
export const anyGeolocation: fc.Arbitrary<Geolocation> = fc
  .constantFrom('FRANCE', 'UNITED_KINGDOM', 'BELGIQUE', '_NBCountry', null)
  .chain((country) =>
    fc.record({
      country: fc.constant(country as Geolocation['country']),
      postcode: codesOf(country),
      radius: fc.option(fc.constantFrom(1, 11, 16, 45.5, 1000)),
      excludePostCodes: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, codesOf(country)),
      departmentIds:
        country === 'UNITED_KINGDOM' || country === 'BELGIQUE'
          ? fc.constant(null)
          : fc.option(fc.constantFrom('75', '2B;974', '59;01')),
    }),
  )
  .map((one) => (one.postcode === null ? { ...one, radius: null } : one));

/** Makes the places of the model the only ones of an installation. */
export async function storeModelPlaces(control: Database): Promise<void> {
  const codes = { FRANCE: 'FR', BELGIQUE: 'BE', UNITED_KINGDOM: 'GB' } as const;
  await control.run(sql`delete from facteur.postcode`);
  for (const { country, code, km } of modelPlaces) {
    await control.run(sql`
      insert into facteur.postcode (country, code, name, latitude, longitude)
      values (${codes[country]}, ${code}, ${code}, 0, ${km / kmOfDegree})`);
  }
  await control.run(sql`update facteur.postcode_load set loaded_at = loaded_at + interval '1 s'`);
}
