import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('setDefaultRepository', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  const create = async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body: elsewhere.access });
    return (made.data as { id: number }).id;
  };
  const choose = (idRepository: unknown, as?: null | 'sender') =>
    t.call('PUT', '/admin/v1/sites/demo/default-repository', {
      body: { idRepository },
      ...(as !== undefined && { as }),
    });
  const defaults = async () => {
    const { data } = await t.call('GET', '/admin/v1/sites/demo/repositories');
    return (data as { id: number; isDefault: boolean }[]).filter((one) => one.isDefault).map(({ id }) => id);
  };

  it('200 moves it, and 0 gives it back to the folder of the embedded server', async () => {
    const [one, other] = [await create(), await create()];
    for (const [id, expected] of [
      [one, [one]],
      [other, [other]],
      [other, [other]],
      [0, []],
      [one, [one]],
    ] as const) {
      expect(await choose(id)).toMatchObject({ status: 200, data: true });
      expect(await defaults()).toEqual(expected);
    }
  });

  it('200 for several choices at once: one of them holds', async () => {
    const ids = [await create(), await create(), await create()];
    const replies = await Promise.all([...ids, ...ids.toReversed()].map((id) => choose(id)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await defaults()).toHaveLength(1);
  });

  it('404 for an unknown or deleted one, and the choice stays', async () => {
    const id = await create();
    await choose(id);
    const gone = await create();
    await t.call('DELETE', `/admin/v1/sites/demo/repositories/${gone}`);
    for (const wrong of [gone, 999])
      expect(await choose(wrong)).toMatchObject({ status: 404, error: 'idRepository: Repository not found' });
    expect(await defaults()).toEqual([id]);
  });

  it('400 for no id, 401 without a token, 403 for a sender', async () => {
    expect((await choose('0')).status).toBe(400);
    expect((await choose(0, null)).status).toBe(401);
    expect((await choose(0, 'sender')).status).toBe(403);
  });
});
