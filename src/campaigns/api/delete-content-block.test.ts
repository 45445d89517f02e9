import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepContentBlock } from '../../contents/content-block-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';

describe('deleteContentBlock', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    for (const contentKey of ['Promotion', 'shown', 'forced'])
      await keepContentBlock(t.db, { contentKey, contentValue: 'x' }, new Date());
    await keepContentBlock(t.otherDb, { contentKey: 'foreign', contentValue: 'x' }, new Date());
  });
  afterAll(() => t.close());

  const remove = (contentKey: string, force?: boolean) =>
    t.call('DELETE', '/content-blocks', { query: { contentKey, ...(force && { force }) }, as: 'editor' });
  const status = async (contentKey: string) =>
    (await t.call('GET', '/content-blocks', { query: { contentKey } })).status;

  it('200 and the block is deleted, ignoring case', async () => {
    expect(await remove('PROMOTION')).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect(await status('promotion')).toBe(404);
    expect(await remove('promotion')).toMatchObject({
      status: 404,
      error: 'contentKey: Content block not found',
    });
  });

  it('409 while contents show it, with their names, and the block stays', async () => {
    const id = await makeCampaign(t.db, { htmlContent: '<p>[[BLOC.shown]]</p>' });
    await keepContentBlock(t.db, { contentKey: 'Outer', contentValue: '[[BLOC.Shown]]' }, new Date());
    expect(await remove('shown')).toMatchObject({
      status: 409,
      error: `The content block is shown by campaign ${id}, content block Outer; remove it there, or set force to true`,
    });
    expect(await status('shown')).toBe(200);
  });

  it('200 with force, even while contents show it', async () => {
    await makeCampaign(t.db, { htmlContent: '<p>[[BLOC.forced]]</p>' });
    expect((await remove('forced', true)).status).toBe(200);
    expect(await status('forced')).toBe(404);
  });

  it("404 for another site's, which stays", async () => {
    expect((await remove('foreign', true)).status).toBe(404);
  });
});
