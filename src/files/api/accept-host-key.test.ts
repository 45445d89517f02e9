import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('acceptHostKey', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  it('200 after a change that was verified, 422 for a key that the server does not show', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body: elsewhere.access });
    const path = `/admin/v1/sites/demo/repositories/${(made.data as { id: number }).id}`;
    const old = elsewhere.fingerprint;
    await elsewhere.changeKey();
    const refusal = await t.call('POST', `${path}/test`);
    expect(refusal).toMatchObject({
      status: 503,
      error: expect.stringContaining(
        `shows the key ${elsewhere.fingerprint} (ssh-ed25519), not the known one, ${old}`,
      ),
    });
    const accept = (hostKey: string) => t.call('PUT', `${path}/host-key`, { body: { hostKey } });
    expect(await accept(old)).toMatchObject({
      status: 422,
      error: expect.stringContaining(elsewhere.fingerprint),
    });
    expect((await t.call('POST', `${path}/test`)).status).toBe(503);
    expect(await accept('yes')).toMatchObject({ status: 400 });
    expect(await accept(elsewhere.fingerprint)).toMatchObject({
      status: 200,
      data: { hostKey: elsewhere.hostKey, hasPassword: true },
    });
    expect((await t.call('POST', `${path}/test`)).status).toBe(200);
  });

  it('409 when the repository is changed in the meantime, 404 when it is deleted', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body: elsewhere.access });
    const path = `/admin/v1/sites/demo/repositories/${(made.data as { id: number }).id}`;
    const accept = () => t.call('PUT', `${path}/host-key`, { body: { hostKey: elsewhere.fingerprint } });
    elsewhere.meanwhile = () => t.call('PUT', path, { body: elsewhere.at('new') });
    expect(await accept()).toMatchObject({
      status: 409,
      error: expect.stringContaining('Another request changed the repository'),
    });
    expect(await accept()).toMatchObject({ status: 200, data: { subfolder: 'new' } });
    elsewhere.meanwhile = () => t.call('DELETE', path);
    expect(await accept()).toMatchObject({ status: 404, error: 'Repository not found' });
  });

  it('404 for an unknown one; 401 without a token, 403 for a sender', async () => {
    const path = '/admin/v1/sites/demo/repositories/999/host-key';
    const body = { hostKey: elsewhere.fingerprint };
    expect((await t.call('PUT', path, { body })).error).toBe('Repository not found');
    expect((await t.call('PUT', path, { body, as: null })).status).toBe(401);
    expect((await t.call('PUT', path, { body, as: 'sender' })).status).toBe(403);
  });
});
