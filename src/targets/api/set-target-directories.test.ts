import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOperations } from '../../contents/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsSetDirectories, ListedObjects, listedTargets } from '../../testing/listed-objects.ts';
import { targetsOperations } from '../operations.ts';

describe('setTargetDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
  });
  afterAll(() => t.close());

  const objects = new ListedObjects(() => t, listedTargets);

  it('200 takes the whole set, and lists find it', async () => {
    const id = await objects.make();
    const other = await objects.make();
    const [summer, advent] = [await objects.directory('Été'), await objects.directory('Avent')];
    const any = await objects.directory('Any', 'Unknown');
    expect(await objects.setDirectories(id, [summer, summer, any])).toMatchObject({
      status: 200,
      data: true,
      typeName: 'Boolean',
    });
    expect(await objects.idsOfDirectories(id)).toEqual([any, summer]);
    await objects.setDirectories(other, [any]);
    expect(await objects.idsIn(summer)).toEqual([id]);
    expect(await objects.idsIn(any)).toEqual([id, other]);
    await objects.setDirectories(id, [summer, advent]);
    expect(await objects.idsOfDirectories(id)).toEqual([advent, summer]);
    const query = { 'filter.location': 'All', 'filter.sortBy': 'Directories', 'filter.order': 'DESC' };
    const { items } = (await t.call('GET', '/targets', { query })).data as { items: object[] };
    expect(items[0]).toMatchObject({ idTarget: id, directories: 'Avent, Été' });
    expect(await objects.idsIn(any)).toEqual([other]);
    await t.call('POST', `/targets/${id}/archive`);
    expect(await objects.idsIn(summer)).toEqual([]);
    await objects.setDirectories(id, []);
    expect(await objects.idsOfDirectories(id)).toEqual([]);
  });

  behavesAsSetDirectories(objects, 'Campaign');
});
