import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { targetsOperations as operations } from '../operations.ts';

describe('findPlaces', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
    await t.app.control.run(sql`
      insert into facteur.postcode (country, code, name, latitude, longitude)
      values ('FR', '42000', 'Saint-Étienne', 45.43, 4.39), ('FR', '42100', 'Saint-Étienne', 45.42, 4.4),
        ('RE', '97400', 'Saint-Denis % La Réunion', -20.88, 55.45), ('BE', '6001', 'Petit Saint-Étienne', 50.4, 4.4)
      on conflict (country, code) do update set name = excluded.name`);
  });
  afterAll(() => t.close());

  const find = (name: string) => t.call('GET', '/places', { as: 'reader', query: { name } });

  it('200 with the places that have the text, those that begin with it first', async () => {
    expect(await find('saint-etienne')).toMatchObject({
      status: 200,
      typeName: 'FoundPlace[]',
      data: [
        { country: 'FRANCE', name: 'Saint-Étienne', postcodes: ['42000', '42100'] },
        { country: 'BELGIQUE', name: 'Petit Saint-Étienne', postcodes: ['6001'] },
      ],
    });
    const places: { postcodes: string[] }[] = (await find('PARIS')).data;
    expect(places[0]).toMatchObject({ country: 'FRANCE', name: 'Paris' });
    expect(places[0]!.postcodes).toContain('75001');
  });

  it('200 with text that is no pattern, a territory by its country, and nothing for an empty text', async () => {
    expect((await find('%')).data).toMatchObject([{ country: 'FRANCE', postcodes: ['97400'] }]);
    expect((await find('  ')).data).toEqual([]);
    expect((await find('no such town')).data).toEqual([]);
  });

  it('400 without a name', async () => {
    expect((await t.call('GET', '/places', { as: 'reader' })).error).toContain('name: is required');
  });
});
