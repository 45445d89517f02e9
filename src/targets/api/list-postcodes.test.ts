import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { targetsOperations } from '../operations.ts';

describe('listPostcodes', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  it('200 lists the starter table of a new installation', async () => {
    const { status, typeName, data } = await t.call('GET', '/admin/v1/postcodes');
    expect({ status, typeName }).toEqual({ status: 200, typeName: 'PostcodeLoad[]' });
    const loads: { country: string; source: string; codes: number }[] = data;
    expect(loads.map((load) => load.country)).toEqual(['BE', 'FR', 'GB', 'GF', 'GP', 'MQ', 'NC', 'RE', 'YT']);
    for (const load of loads) expect(load.source).toBe('starter table');
    for (const country of ['BE', 'FR', 'GB'])
      expect(loads.find((load) => load.country === country)!.codes).toBeGreaterThan(30);
  });

  it('403 for a token of one site', async () => {
    expect(await t.call('GET', '/admin/v1/postcodes', { as: 'sender' })).toMatchObject({ status: 403 });
  });
});
