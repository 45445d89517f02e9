import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('listRepositories', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  const embedded = { idRepository: 0, port: 2222, host: 'mail.test', subfolder: '' };
  const list = (site = 'demo') =>
    t.call('GET', '/exports/repositories', { site, as: site === 'demo' ? 'reader' : 'admin' });

  it('200 lists the folder of the embedded server, and others with nothing to sign in with', async () => {
    expect(await list()).toMatchObject({ status: 200, typeName: 'Repository[]', data: [embedded] });
    const body = elsewhere.at('in');
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body });
    const { id } = made.data as { id: number };
    const external = { idRepository: id, port: elsewhere.port, host: '127.0.0.1', subfolder: 'in' };
    expect((await list()).data).toEqual([embedded, external]);
    await t.call('PUT', '/admin/v1/sites/demo/default-repository', { body: { idRepository: id } });
    expect((await list()).data).toEqual([external, embedded]);
    expect((await list('other')).data).toEqual([embedded]);
  });
});
