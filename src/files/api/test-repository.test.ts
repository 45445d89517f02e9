import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('testRepository', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  it('200 for one that can be written to, and leaves nothing behind', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body: elsewhere.access });
    const { id } = made.data as { id: number };
    for (const one of [id, 0])
      expect(await t.call('POST', `/admin/v1/sites/demo/repositories/${one}/test`)).toMatchObject({
        status: 200,
        typeName: 'RepositoryTrial',
        data: { nbEntries: 0, canWrite: true, writeError: null },
      });
    expect(readdirSync(elsewhere.folder)).toEqual([]);
  });

  it('200 says why it cannot be written to', async () => {
    const full = await testApp({ config: { sftpQuotaBytes: 1 } });
    const { status, data } = await full.call('POST', '/admin/v1/sites/demo/repositories/0/test');
    expect({ status, data }).toEqual({
      status: 200,
      data: {
        nbEntries: 0,
        canWrite: false,
        writeError: 'The quota of 1 MB for the files of this site is used up',
      },
    });
    await full.close();
  });

  it('503 when the server is unavailable', async () => {
    const other = await SftpElsewhere.start();
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body: other.access });
    await other.close();
    const path = `/admin/v1/sites/demo/repositories/${(made.data as { id: number }).id}/test`;
    expect(await t.call('POST', path)).toMatchObject({
      status: 503,
      error: expect.stringContaining('127.0.0.1'),
    });
  });

  it('422 when its host leads inside', async () => {
    const id = await makeRepository(t.db, t.app.secrets, { host: '10.0.0.1' });
    expect(await t.call('POST', `/admin/v1/sites/demo/repositories/${id}/test`)).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^host: 10\.0\.0\.1 is an internal address/),
    });
  });

  it('404 for an unknown one; 401 without a token, 403 for a sender', async () => {
    const path = '/admin/v1/sites/demo/repositories/999/test';
    expect((await t.call('POST', path)).error).toBe('Repository not found');
    expect((await t.call('POST', path, { as: null })).status).toBe(401);
    expect((await t.call('POST', path, { as: 'sender' })).status).toBe(403);
  });
});
