import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { targetsOperations } from '../operations.ts';

describe('listAllTargets', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  it('200 gives one page of the targets that are not archived', async () => {
    expect(await t.call('GET', '/targets/all')).toMatchObject({
      status: 200,
      typeName: 'Paged<TargetListItem>',
      data: { totalCount: 0, count: 0, items: [], start: 0 },
    });
    const ids = [await create({ name: 'b' }), await create({ name: 'a', maxSelect: 9, isTestTarget: true })];
    await t.call('POST', `/targets/${await create()}/archive`);
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: ids[0], filters } });
    const reply = await t.call('GET', '/targets/all', { query: { isAutomation: true } });
    expect(reply.data).toEqual({
      totalCount: 2,
      count: 2,
      start: 0,
      items: [
        {
          idTarget: ids[0],
          name: 'b',
          author: 'Ada',
          lastUpdateDate: '2026-11-20T10:00:00.000Z',
          targetType: 'Unknown',
          isEditable: true,
          isTestTarget: false,
          isAutomation: false,
          isSafe: true,
          pctSelect: 100,
          maxSelect: null,
          isRandomMode: false,
          directories: '',
        },
        expect.objectContaining({ idTarget: ids[1], isTestTarget: true, isSafe: false, maxSelect: 9 }),
      ],
    });
  });

  it('200 with isEditable false for a reader', async () => {
    const reply = await t.call('GET', '/targets/all', { as: 'reader' });
    const { items } = reply.data as { items: { isEditable: boolean }[] };
    expect(items.map((item) => item.isEditable)).toEqual([false, false]);
  });

  it('400 for a parameter that is not known or not a Boolean', async () => {
    expect(await t.call('GET', '/targets/all', { query: { isAutomation: 'x' } })).toMatchObject({
      status: 400,
    });
    expect(await t.call('GET', '/targets/all', { query: { start: 0 } })).toMatchObject({
      status: 400,
      error: 'start: unknown member',
    });
  });
});
