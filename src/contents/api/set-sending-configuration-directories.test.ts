import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  behavesAsSetDirectories,
  ListedObjects,
  listedConfigurations,
} from '../../testing/listed-objects.ts';
import { contentsOperations } from '../operations.ts';

describe('setSendingConfigurationDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const objects = new ListedObjects(() => t, listedConfigurations);

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
    expect(await objects.idsIn(any)).toEqual([other]);
    await t.call('PUT', '/sending-configurations', { body: { id, isArchive: true } });
    expect(await objects.idsIn(summer)).toEqual([]);
    await objects.setDirectories(id, []);
    expect(await objects.idsOfDirectories(id)).toEqual([]);
  });

  behavesAsSetDirectories(objects, 'Filter');
});
