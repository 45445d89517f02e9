import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countries, countryOfKey, outwardOf, postcodeKey } from './country.ts';
import { distanceKm, type Place, PostcodeTable } from './postcode-table.ts';

const point = (latitude: number, longitude: number) => ({ latitude, longitude });

// Distances as geodesic calculators on the mean sphere give them.
test.each([
  [point(48.8566, 2.3522), point(45.764, 4.8357), 391.5],
  [point(48.8566, 2.3522), point(51.5074, -0.1278), 343.6],
  [point(0, 179.5), point(0, -179.5), 111.2],
  [point(90, 0), point(-90, 0), 20_015.1],
  [point(50, 4), point(50, 4), 0],
])('%j to %j is %d km', (a, b, km) => {
  expect(distanceKm(a, b)).toBeCloseTo(km, 0);
  expect(distanceKm(b, a)).toBe(distanceKm(a, b));
});

const anyPoint = fc.record({
  latitude: fc.oneof(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ min: 48, max: 49, noNaN: true }),
    fc.constantFrom(-90, 89.9999, 90),
  ),
  longitude: fc.oneof(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: 2, max: 3, noNaN: true }),
    fc.constantFrom(-180, 179.999, 180),
  ),
});

test('a circle holds the places that are near enough, as reckoned one by one', () => {
  fc.assert(
    fc.property(
      fc.array(anyPoint, { maxLength: 60 }),
      fc.array(anyPoint, { maxLength: 3 }),
      fc.oneof(
        fc.double({ min: 0.001, max: 200, noNaN: true }),
        fc.double({ min: 0, max: 1000, noNaN: true }),
      ),
      (points, centres, km) => {
        const places = points.map((one, i): Place => {
          const country = i % 3 === 0 ? 'FRANCE' : i % 3 === 1 ? 'BELGIQUE' : 'UNITED_KINGDOM';
          return { ...one, country, code: String(i) };
        });
        const of = [countries.FRANCE, countries.BELGIQUE];
        const expected = places.filter(
          (place) =>
            place.country !== 'UNITED_KINGDOM' && centres.some((centre) => distanceKm(centre, place) <= km),
        );
        const found = new PostcodeTable(places).within(of, centres, km);
        expect(new Set(found)).toEqual(new Set(expected));
        expect(found.length).toBe(expected.length);
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each([
  [' 75 001', '75001', 'FRANCE'],
  ['1000', '1000', 'BELGIQUE'],
  ['sw1a 1aa', 'SW1A1AA', 'UNITED_KINGDOM'],
  ['m1', 'M1', 'UNITED_KINGDOM'],
  ['EC1A\u00a01bb', 'EC1A1BB', 'UNITED_KINGDOM'],
  ['750011', '750011', undefined],
  ['SW1A 1A', 'SW1A1A', undefined],
  ['', '', undefined],
])('%j is compared as %s, of %s', (text, key, country) => {
  expect(postcodeKey(text)).toBe(key);
  expect(countryOfKey(key)?.name).toBe(country);
});

test.each([
  ['SW1A1AA', 'SW1A'],
  ['M11AA', 'M1'],
  ['SW1A', 'SW1A'],
  ['E14', 'E14'],
  ['W1D', 'W1D'],
])('the outward code of %s is %s', (key, outward) => expect(outwardOf(key)).toBe(outward));
