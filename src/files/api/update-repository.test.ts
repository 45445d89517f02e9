import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('updateRepository', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  const create = async (rest: object = {}): Promise<string> => {
    const body = { ...elsewhere.access, ...rest };
    const { data } = await t.call('POST', '/admin/v1/sites/demo/repositories', { body });
    return `/admin/v1/sites/demo/repositories/${(data as { id: number }).id}`;
  };
  const bare = () => ({ host: '127.0.0.1', port: elsewhere.port, login: 'us' });
  const works = async (path: string) => (await t.call('POST', `${path}/test`)).status;

  it('200 replaces all but secrets that are omitted', async () => {
    const path = await create(elsewhere.at('a'));
    const reply = await t.call('PUT', path, { body: bare() });
    expect(reply).toMatchObject({
      status: 200,
      data: { subfolder: '', hasPassword: true, hostKey: elsewhere.hostKey },
    });
    expect(await works(path)).toBe(200);
    const keyed = { ...bare(), password: null, privateKey: elsewhere.privateKey };
    expect((await t.call('PUT', path, { body: keyed })).data).toMatchObject({
      hasPassword: false,
      hasPrivateKey: true,
    });
    expect(await works(path)).toBe(200);
  });

  it('400 when nothing is left to sign in with', async () => {
    const path = await create();
    expect(await t.call('PUT', path, { body: { ...bare(), password: null } })).toMatchObject({
      status: 400,
      error: 'password: a password or a privateKey is required',
    });
  });

  it('400 for another host or port without the secrets: they are not sent to another server', async () => {
    const path = await create();
    const other = await SftpElsewhere.start();
    const there = { ...bare(), port: other.port };
    const { status, error } = await t.call('PUT', path, { body: there });
    expect({ status, error }).toEqual({
      status: 400,
      error: 'password: another host or port needs the password or the private key again',
    });
    expect(other.told).toEqual([]);
    const moved = await t.call('PUT', path, { body: { ...there, password: 'secret' } });
    expect(moved.data).toMatchObject({ port: other.port, hostKey: other.hostKey });
    await other.close();
  });

  it('503 when the server shows another key than the known one, which is not learnt in silence', async () => {
    const other = await SftpElsewhere.start();
    const path = await create({ port: other.port });
    const known = other.fingerprint;
    await other.changeKey();
    const told = other.told.length;
    const body = other.at('b');
    const { status, error, headers } = await t.call('PUT', path, { body });
    expect({ status, code: headers['x-error-code'] }).toEqual({ status: 503, code: 'host_key_changed' });
    expect(error).toContain(`shows the key ${other.fingerprint} (ssh-ed25519), not the known one, ${known}`);
    expect(other.told).toHaveLength(told);
    const accepted = await t.call('PUT', path, { body: { ...body, hostKey: other.fingerprint } });
    expect(accepted.data).toMatchObject({ hostKey: other.hostKey, subfolder: 'b' });
    await other.close();
  });

  it('409 when another caller changes it in the meantime; their secrets stay', async () => {
    const path = await create();
    const keyed = { ...bare(), password: null, privateKey: elsewhere.privateKey };
    elsewhere.at('late');
    elsewhere.meanwhile = () => t.call('PUT', path, { body: keyed });
    expect(await t.call('PUT', path, { body: { ...bare(), subfolder: 'late' } })).toMatchObject({
      status: 409,
      error: 'Another request changed the repository; read it and try again',
    });
    const { data } = await t.call('GET', '/admin/v1/sites/demo/repositories');
    const id = Number(path.split('/').at(-1));
    expect((data as { id: number }[]).find((one) => one.id === id)).toMatchObject({
      subfolder: '',
      hasPassword: false,
      hasPrivateKey: true,
    });
  });

  it('422 when the new password is refused, and the old one stays', async () => {
    const path = await create();
    expect(await t.call('PUT', path, { body: { ...bare(), password: 'wrong' } })).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^password: .*refuses the login$/),
    });
    expect(await works(path)).toBe(200);
  });

  it('404 for an unknown one and one of another site', async () => {
    const path = await create();
    const body = elsewhere.access;
    for (const wrong of ['/admin/v1/sites/demo/repositories/999', path.replace('demo', 'other')])
      expect(await t.call('PUT', wrong, { body })).toMatchObject({
        status: 404,
        error: 'Repository not found',
      });
  });

  it('401 without a token, 403 for a sender', async () => {
    const path = '/admin/v1/sites/demo/repositories/1';
    expect((await t.call('PUT', path, { body: bare(), as: null })).status).toBe(401);
    expect((await t.call('PUT', path, { body: bare(), as: 'sender' })).status).toBe(403);
  });
});
