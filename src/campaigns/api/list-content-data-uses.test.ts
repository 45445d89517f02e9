import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepContentBlock } from '../../contents/content-block-store.ts';
import { replaceContentData } from '../../contents/content-data-store.ts';
import type { TableRecord } from '../../files/table.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';

async function* oneRow(): AsyncGenerator<TableRecord[]> {
  yield [{ line: 1, cells: ['a', '1'] }];
}

describe('listContentDataUses', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await replaceContentData(t.db, 'prices', oneRow(), new Date());
    await replaceContentData(t.otherDb, 'foreign', oneRow(), new Date());
  });
  afterAll(() => t.close());

  const uses = (key: string) => t.call('GET', '/content-data/uses', { query: { key }, as: 'reader' });

  it('200 with the contents that have a tag of the key, and no others', async () => {
    const parameters = { name: 'Offers', subject: 'Offers' };
    const id = await makeCampaign(t.db, { htmlContent: '[[DATA.Prices.fld40|a [ b]]', parameters });
    // A name of a single send's data, a block of the key, and other data.
    for (const htmlContent of ['[[DATA.prices]]', '[[BLOC.prices]]', '[[DATA.prices2.fld1]]'])
      await makeCampaign(t.db, { htmlContent });
    const block = { contentKey: 'offer', contentValue: '[[DATA.prices.fld1]]' };
    await keepContentBlock(t.db, block, new Date());
    expect(await uses('PRICES')).toMatchObject({ status: 200, typeName: 'ContentUses' });
    expect((await uses('PRICES')).data).toEqual({
      nbUses: 2,
      uses: [
        { kind: 'Campaign', id, name: 'Offers', idCampaign: id },
        { kind: 'ContentBlock', id: null, name: 'offer', idCampaign: null },
      ],
    });
  });

  it.each(['none', 'foreign'])('404 for the key %s', async (key) => {
    expect(await uses(key)).toMatchObject({ status: 404, error: 'key: Content data not found' });
  });
});
