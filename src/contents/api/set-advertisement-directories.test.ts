import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  behavesAsSetDirectories,
  ListedObjects,
  listedAdvertisements,
} from '../../testing/listed-objects.ts';
import { contentsOperations } from '../operations.ts';

describe('setAdvertisementDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const objects = new ListedObjects(() => t, listedAdvertisements);

  const idsIn = async (idDirectory: number) => {
    const { data } = await t.call('GET', '/advertisements', { query: { idDirectory } });
    return (data as { id: number }[]).map((one) => one.id);
  };

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
    expect(await idsIn(summer)).toEqual([id]);
    expect(await idsIn(any)).toEqual([id, other]);
    await objects.setDirectories(id, [summer, advent]);
    expect(await objects.idsOfDirectories(id)).toEqual([advent, summer]);
    expect(await idsIn(any)).toEqual([other]);
    await objects.setDirectories(id, []);
    expect(await objects.idsOfDirectories(id)).toEqual([]);
  });

  behavesAsSetDirectories(objects, 'Filter');
});
