import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPostcodes } from './targets/places/postcode-store.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { commandOn } from './testing/child-process.ts';

/** A start takes about 3 s alone, and the machine of the tests may be busy. */

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

const run = (...args: string[]) => commandOn(t, ['postcodes', ...args]).ended;

it('facteur postcodes load takes a file of this machine, list shows it, and a bad file changes nothing', async () => {
  const [file, other] = [join(t.dataDir, 'BE.txt'), join(t.dataDir, 'readme.txt')];
  writeFileSync(file, `BE\t2000\tAntwerpen\t\t\t\t\t\t\t51.2199\t4.4035\t4\n`);
  writeFileSync(other, 'This is a readme\n');

  const loaded = await run('load', file);
  expect([loaded.code, JSON.parse(loaded.stdout)]).toMatchObject([
    0,
    { countries: [{ country: 'BE', codes: 1 }], lines: 1, bad: 0 },
  ]);

  const refused = await run('load', other);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('none of its 1 lines is a GeoNames line');

  const listed = await run('list');
  const loads = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(loads.filter(({ country }) => country === 'BE')).toMatchObject([{ source: 'BE.txt', codes: 1 }]);

  const places = await readPostcodes(t.app.control);
  expect(places.find('BELGIQUE', '2000')).toMatchObject({ latitude: 51.2199, longitude: 4.4035 });
  // The starter table's towns of that country no longer exist, those of others are there.
  expect(places.find('BELGIQUE', '1000')).toBeUndefined();
  expect(places.find('FRANCE', '75001')).toBeDefined();
});
