import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replaceContentData } from '../../contents/content-data-store.ts';
import type { TableRecord } from '../../files/table.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration } from '../../testing/campaign-makers.ts';

async function* oneRow(): AsyncGenerator<TableRecord[]> {
  yield [{ line: 1, cells: ['a', '1'] }];
}

describe('deleteContentData', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    for (const key of ['Prices', 'shown']) await replaceContentData(t.db, key, oneRow(), new Date());
    await replaceContentData(t.otherDb, 'foreign', oneRow(), new Date());
  });
  afterAll(() => t.close());

  const remove = (key: string, force?: boolean) =>
    t.call('DELETE', '/content-data', { query: { key, ...(force && { force }) }, as: 'editor' });
  const countRows = (db = t.db) => db.value<number>(sql`select count(*) as n from ${db.t.content_data_row}`);

  it('200 and the data are deleted with their rows, ignoring case', async () => {
    expect(await remove('PRICES')).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect(await countRows()).toBe(1);
    expect(await remove('prices')).toMatchObject({ status: 404, error: 'key: Content data not found' });
  });

  it('409 while contents show them, with their names; 200 with force', async () => {
    const id = await makeCampaign(t.db, { htmlContent: '<p>[[DATA.SHOWN.fld40|none]]</p>' });
    const idConfiguration = await makeConfiguration(t.db, '[[DATA.shown.fld1]]');
    expect(await remove('shown')).toMatchObject({
      status: 409,
      error:
        `The content data are shown by campaign ${id}, sending configuration ${idConfiguration}; ` +
        'remove them there, or set force to true',
    });
    expect(await countRows()).toBe(1);
    expect((await remove('shown', true)).status).toBe(200);
    expect(await countRows()).toBe(0);
  });

  it("404 for another site's, which stay", async () => {
    expect((await remove('foreign', true)).status).toBe(404);
    expect(await countRows(t.otherDb)).toBe(1);
  });
});
