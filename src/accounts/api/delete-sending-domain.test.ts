import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { dkimKeysFor } from '../sending-domain-store.ts';

const domain = 'news.example';

describe('deleteSendingDomain', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = async (selector: string) => {
    const body = { domain, algorithm: 'ed25519-sha256', selector };
    const { data } = await t.call('POST', '/admin/v1/sites/demo/sending-domains', { body });
    return (data as { id: number }).id;
  };
  const remove = (id: number, site = 'demo', as: 'admin' | 'sender' | null = 'admin') =>
    t.call('DELETE', `/admin/v1/sites/${site}/sending-domains/${id}`, { as });
  const key = () => dkimKeysFor(t.app.control, t.app.secrets, t.db.site.id, domain);

  it('200 deletes the key, so that it can be created again; 404 afterwards and for another site', async () => {
    const id = await create('first');
    expect((await remove(id, 'other')).status).toBe(404);
    expect(await key()).toMatchObject([{ selector: 'first' }]);
    expect(await remove(id)).toMatchObject({ status: 200, data: true });
    expect(await key()).toEqual([]);
    expect(await remove(id)).toMatchObject({ status: 404, error: 'Sending domain not found' });
    await create('second');
    expect(await key()).toMatchObject([{ selector: 'second' }]);
  });

  it('400 for no id', async () => {
    expect((await remove(0)).status).toBe(400);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await remove(1, 'demo', null)).status).toBe(401);
    expect((await remove(1, 'demo', 'sender')).status).toBe(403);
  });
});
