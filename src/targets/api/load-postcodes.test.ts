import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { embeddedRepository } from '../../files/repository.ts';
import { setDefaultRepository } from '../../files/repository-store.ts';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { targetsOperations } from '../operations.ts';
import { readPostcodes } from '../places/postcode-store.ts';

describe('loadPostcodes', () => {
  let t: TestApp;
  let folder: string;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    folder = siteFolderPath(t.dataDir, t.db.site.id);
    mkdirSync(join(folder, 'geonames'), { recursive: true });
  });
  afterAll(() => t.close());
  beforeEach(() => t.clock.advance(1_000));

  const line = (country: string, code: string, name: string, latitude: string, longitude: string) =>
    [country, code, name, '', '', '', '', '', '', latitude, longitude, '5'].join('\t');
  const write = (name: string, ...lines: string[]) =>
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  const load = (filename: string, idsite = 'demo') =>
    t.call('POST', '/admin/v1/postcodes', { body: { idsite, filename } });
  const find = async (country: 'FRANCE' | 'UNITED_KINGDOM' | 'BELGIQUE', key: string) =>
    (await readPostcodes(t.app.control)).find(country, key);

  it('200 exchanges the postcodes of the countries of the file, each at the centre of its places', async () => {
    write(
      'geonames/all.txt',
      line('FR', '01400', 'Neuville-les-Dames', '46.16', '5.0'),
      line('FR', '01400', 'Sulignat', '46.18', '5.1'),
      line('FR', '75008 CEDEX 08', 'Paris 08', '48.87', '2.31'),
      line('GB', 'AB10 1AA', 'Aberdeen', '57.1', '-2.0'),
      line('GB', 'AB10 1AB', 'Aberdeen', '57.3', '-2.2'),
      line('DE', '10115', 'Berlin', '52.53', '13.38'),
      line('FR', '1400', 'Too short', '46', '5'),
      line('FR', '01500', 'Nowhere', '', ''),
      line('FR', '01500', 'Past the pole', '91', '5'),
      'FR\t01510',
    );
    expect(await find('FRANCE', '75001')).toBeDefined();
    expect(await load('geonames/all.txt')).toMatchObject({
      status: 200,
      typeName: 'LoadedPostcodes',
      data: {
        countries: [
          { country: 'FR', codes: 2 },
          { country: 'GB', codes: 1 },
        ],
        lines: 10,
        ignored: 1,
        bad: 4,
        badLines: [
          { line: 7, reason: "'1400' is not a postcode of FR" },
          { line: 8, reason: 'has no latitude and longitude in columns 10 and 11' },
          { line: 9, reason: 'has no latitude and longitude in columns 10 and 11' },
          { line: 10, reason: 'has 2 columns, not 12 separated by tabs' },
        ],
      },
    });
    const centre = await find('FRANCE', '01400');
    expect(centre?.latitude).toBeCloseTo(46.17, 6);
    expect(centre?.longitude).toBeCloseTo(5.05, 6);
    expect((await find('UNITED_KINGDOM', 'AB101ZZ'))?.latitude).toBeCloseTo(57.2, 6);
    expect(await find('FRANCE', '75008')).toMatchObject({ latitude: 48.87 });
    // The starter table of those countries no longer exists, others stay.
    expect(await find('FRANCE', '75001')).toBeUndefined();
    expect(await find('BELGIQUE', '1000')).toBeDefined();
    expect(await find('FRANCE', '97400')).toBeDefined();
    const loads: object[] = (await t.call('GET', '/admin/v1/postcodes')).data;
    expect(loads).toContainEqual({
      country: 'FR',
      source: 'geonames/all.txt',
      loadedAt: t.clock.now().toISOString(),
      codes: 2,
    });
  });

  it('200 for a file that is packed', async () => {
    writeFileSync(join(folder, 'BE.txt.gz'), gzipSync(`${line('BE', '2000', 'Antwerpen', '51.2', '4.4')}\n`));
    expect(await load('BE.txt.gz')).toMatchObject({
      status: 200,
      data: { countries: [{ country: 'BE', codes: 1 }] },
    });
  });

  it('400 for a file without a postcode of the three countries, and nothing has changed', async () => {
    const before = (await t.call('GET', '/admin/v1/postcodes')).data;
    write('readme.txt', 'This is a readme', 'of two lines');
    expect(await load('readme.txt')).toMatchObject({
      status: 400,
      error: expect.stringContaining('none of its 2 lines is a GeoNames line of France'),
    });
    write('DE.txt', line('DE', '10115', 'Berlin', '52.53', '13.38'));
    expect(await load('DE.txt')).toMatchObject({ status: 400 });
    expect((await t.call('GET', '/admin/v1/postcodes')).data).toEqual(before);
  });

  it.each([
    ['absent.txt', 'does not exist'],
    ['../../facteur/secret', 'leaves the repository'],
    ['/etc/passwd', 'starts at the root'],
    ['..\\..\\a', 'holds a back-slash'],
    ['link.txt', 'filename'],
    ['a'.repeat(300), 'longer than 255 bytes'],
  ])('400 for the file %s', async (name, reason) => {
    if (name === 'link.txt') symlinkSync('/etc/passwd', join(folder, 'link.txt'));
    expect(await load(name)).toMatchObject({ status: 400, error: expect.stringContaining(reason) });
  });

  it.each([
    [503, { host: '127.0.0.1', port: 1 }, /^The SFTP server 127\.0\.0\.1 cannot be used: /],
    [422, { host: '10.0.0.1' }, /^host: 10\.0\.0\.1 is an internal address/],
  ])(
    '%i when the default repository of the site is %j, and nothing has changed',
    async (status, of, error) => {
      const before = (await t.call('GET', '/admin/v1/postcodes')).data;
      const id = await makeRepository(t.db, t.app.secrets, of);
      await setDefaultRepository(t.db, id);
      const reply = await load('BE.txt.gz');
      await setDefaultRepository(t.db, embeddedRepository);
      expect(reply).toMatchObject({ status, error: expect.stringMatching(error) });
      expect((await t.call('GET', '/admin/v1/postcodes')).data).toEqual(before);
    },
  );

  it('404 for an unknown site', async () => {
    expect(await load('BE.txt.gz', 'nobody')).toMatchObject({ status: 404, error: 'Site not found' });
  });
});
