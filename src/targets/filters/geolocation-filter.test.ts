import { expect, test } from 'vitest';
import type { Language } from '../../fields/period.ts';
import { filterSite, readOrRefuse } from '../../testing/filter-site.ts';
import { expectGolden } from '../../testing/golden.ts';
import { type Place, PostcodeTable } from '../places/postcode-table.ts';
import { geolocationFilter } from './geolocation-filter.ts';

const places: Place[] = [
  { country: 'FRANCE', code: '75001', latitude: 48.86, longitude: 2.34 },
  { country: 'FRANCE', code: '69001', latitude: 45.77, longitude: 4.83 },
  { country: 'BELGIQUE', code: '1000', latitude: 50.85, longitude: 4.35 },
  { country: 'UNITED_KINGDOM', code: 'SW1A', latitude: 51.5, longitude: -0.14 },
];
const site = filterSite({ postcodes: new PostcodeTable(places) });
type Given = Parameters<typeof geolocationFilter.parse>[0];
const parse = (given: Given) => readOrRefuse(geolocationFilter, given, site);
const nothing = { country: null, postcode: null, radius: null, excludePostCodes: null, departmentIds: null };

test.each<[Given, string]>([
  [
    { country: 'FRANCE', postcode: '75001;99999' },
    '400 postcode: 99999 is not in the table of postcodes of FRANCE; an administrator loads more by ' +
      'facteur postcodes load <file> or POST /admin/v1/postcodes',
  ],
  [
    { country: 'FRANCE', postcode: '1000' },
    "400 postcode: '1000' is not a postcode of the country (FRANCE: five digits",
  ],
  [
    { country: 'BELGIQUE', postcode: '75001' },
    "400 postcode: '75001' is not a postcode of the country (BELGIQUE: four",
  ],
  [
    { postcode: 'Paris' },
    "400 postcode: 'Paris' is not a postcode of the country (FRANCE: five digits, for example 75001; UNITED",
  ],
  [{ postcode: "75001' or true --" }, "400 postcode: '75001' or true --'"],
  [{ country: 'UNITED_KINGDOM', postcode: 'SW1A 1AAA' }, "400 postcode: 'SW1A 1AAA' is not a postcode"],
  [{ country: 'UNITED_KINGDOM', postcode: 'SW9 9AA' }, '400 postcode: SW9 9AA is not in the table'],
  [{ country: 'FRANCE', excludePostCodes: '75002' }, '400 excludePostCodes: 75002 is not in the table'],
  [{ country: 'FRANCE', radius: 5 }, '400 radius: requires postcode, the centre of the circle'],
  [
    { country: 'FRANCE', departmentIds: '75;20' },
    "400 departmentIds: '20' is not a French department; Corsica is 2A and 2B",
  ],
  [{ country: 'FRANCE', departmentIds: '99' }, "400 departmentIds: '99' is not a French department"],
  [{ country: 'BELGIQUE', departmentIds: '75' }, '400 departmentIds: allowed only if country is FRANCE'],
])('%j is refused', (given, message) => expect(parse(given)).toContain(message));

test.each<[Given, Given | undefined]>([
  [{ country: 'FRANCE' }, { ...nothing, country: 'FRANCE' }],
  [{ country: '_NBCountry' }, undefined],
  [{}, undefined],
  [{ ...nothing, radius: 0, postcode: ' ; ' }, undefined],
  [{ postcode: ' 75 001 ;75001;1000; sw1a1aa;' }, { ...nothing, postcode: '75001;1000;SW1A 1AA' }],
  [
    { country: 'FRANCE', postcode: '75001', radius: 2.5 },
    { ...nothing, country: 'FRANCE', postcode: '75001', radius: 2.5 },
  ],
  [
    { country: 'FRANCE', departmentIds: '1; 2a;974;01' },
    { ...nothing, country: 'FRANCE', departmentIds: '01;2A;974' },
  ],
  [{ excludePostCodes: '75001' }, { ...nothing, excludePostCodes: '75001' }],
])('%j is kept as %j', (given, kept) => expect(parse(given)).toEqual(kept));

test('a postcode that is no longer in the table is a conflict when its surroundings are requested', () => {
  const definition = { ...nothing, postcode: '75001', radius: 5 };
  const without = filterSite({ postcodes: new PostcodeTable([]) });
  expect(() => geolocationFilter.compile(definition, without)).toThrow(
    expect.objectContaining({
      status: 409,
      message: expect.stringContaining('the postcode 75001, which no longer exists'),
    }),
  );
});

test('descriptions', async () => {
  const describe =
    (given: Given, of = site, used = of) =>
    (language: Language) =>
      geolocationFilter.describe(geolocationFilter.parse(given, of)!, used, language);
  const starter = filterSite({ postcodes: new PostcodeTable(places, ['FRANCE']) });
  const many = Array.from({ length: 25 }, (_, i) => String(10 + i).padStart(2, '0')).filter(
    (one) => one !== '20',
  );
  const fewer = filterSite({ postcodes: new PostcodeTable(places.slice(2)) });
  const later = (given: Given) => describe(given, site, fewer);
  await expectGolden('geolocation-filter.golden.txt', {
    'a centre that is gone': later({ postcode: '75001;1000', radius: 20 }),
    'centres and exclusions that are gone': later({
      postcode: '75001;69001',
      radius: 20,
      excludePostCodes: '75001',
    }),
    'postcodes that are gone': later({ postcode: '75001;1000', excludePostCodes: '69001;75001' }),
    country: describe({ country: 'UNITED_KINGDOM' }),
    postcodes: describe({ country: 'FRANCE', postcode: '75001;69001' }),
    'postcodes of any country': describe({ postcode: 'SW1A1AA;1000' }),
    radius: describe({ country: 'FRANCE', postcode: '75001', radius: 20 }),
    'radius with decimals, exclusion': describe({
      country: 'BELGIQUE',
      postcode: '1000',
      radius: 2.5,
      excludePostCodes: '1000',
    }),
    'radius around several': describe({ postcode: '75001;1000', radius: 20 }),
    'radius over the starter table': describe({ country: 'FRANCE', postcode: '75001', radius: 20 }, starter),
    departments: describe({ country: 'FRANCE', departmentIds: '75;2A;974' }),
    'postcodes and departments': describe({
      postcode: '75001',
      departmentIds: '69',
      excludePostCodes: '69001;75001',
    }),
    'many departments': describe({ departmentIds: many.join(';') }),
  });
});
