import fc from 'fast-check';
import type { Database } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { type Geolocation, kmOfDegree, modelPlaces } from './geolocation-model.ts';

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
