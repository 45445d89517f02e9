import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { insertDirectory } from '../directory-store.ts';
import { contentsOperations } from '../operations.ts';

describe('listDirectoriesByType', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    await insertDirectory(t.db, { name: 'a', dirType: 'Campaign' });
    await insertDirectory(t.db, { name: 'b', dirType: 'Config', isSystem: true });
    await insertDirectory(t.db, { name: 'c', dirType: 'Campaign' });
    await insertDirectory(t.otherDb, { name: 'foreign', dirType: 'Campaign' });
  });
  afterAll(() => t.close());

  const names = async (type: string) => {
    const reply = await t.call('GET', `/directories/types/${type}`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Directory[]' });
    return (reply.data as { name: string }[]).map((one) => one.name);
  };

  it('200 lists those of the type', async () => {
    expect(await names('Campaign')).toEqual(['a', 'c']);
    expect(await names('Link')).toEqual([]);
  });

  it('200 lists all for Unknown', async () => {
    expect(await names('Unknown')).toEqual(['a', 'b', 'c']);
  });

  it('400 names the types for an unknown one', async () => {
    expect(await t.call('GET', '/directories/types/Nope')).toMatchObject({
      status: 400,
      error: expect.stringContaining('idType: must be one of Unknown, Campaign'),
    });
  });
});
