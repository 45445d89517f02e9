import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { filterSite } from '../../testing/filter-site.ts';
import {
  anyGeolocation,
  kmOfDegree,
  livesThere,
  modelCountries,
  modelPlaces,
  modelPostcodes,
} from '../../testing/geolocation-model.ts';
import { type TestSite, testSite } from '../../testing/site.ts';
import { PostcodeTable } from '../places/postcode-table.ts';
import { geolocationFilter } from './geolocation-filter.ts';

const residents = modelPostcodes.flatMap((postcode) =>
  modelCountries.map((country) => ({ postcode, country })),
);
const postcodes = new PostcodeTable(
  modelPlaces.map(({ country, code, km }) => ({ country, code, latitude: 0, longitude: km / kmOfDegree })),
);

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
  for (const [i, { postcode, country }] of residents.entries()) {
    await site.db.run(sql`
      insert into ${site.db.t.subscriber} (fld0, fld1, fld40, fld41)
      values (${i + 1}, ${`s${i}@example.org`}, ${postcode}, ${country})`);
  }
});
afterAll(() => site.close());

test('any geolocation filter selects by SQL who lives there by the words of the rule', async () => {
  let selecting = 0;
  await fc.assert(
    fc.asyncProperty(anyGeolocation, async (filter) => {
      const of = filterSite({ postcodes });
      const definition = geolocationFilter.parse(filter, of);
      const condition = definition ? geolocationFilter.compile(definition, of) : sql`true`;
      const rows = await site.db.rows<{ fld0: number }>(sql`
        select fld0 from ${site.db.t.subscriber} where ${condition} order by fld0`);
      const expected = residents.flatMap((who, i) => (livesThere(filter, who) ? [i + 1] : []));
      if (expected.length > 0) selecting++;
      expect(rows.map((row) => row.fld0)).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
  expect(selecting).toBeGreaterThan(100);
});
