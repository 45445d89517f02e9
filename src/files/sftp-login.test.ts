import ssh2 from 'ssh2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSftpAccount, sftpAccountOf } from '../accounts/sftp-account-store.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { sftpAuthenticator } from './sftp-login.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

test('a site comes in with its password or its keys, and nobody else does', async () => {
  const { control, secrets } = t.app;
  await createSftpAccount(control, secrets, t.db.site);
  const { login, password } = (await sftpAccountOf(control, secrets, t.db.site.id))!;
  const enter = sftpAuthenticator(t.app);
  expect(await enter(login, { kind: 'password', password })).toBe(t.db.site.id);
  expect(await enter(login, { kind: 'password', password: '' })).toBeUndefined();
  expect(await enter('nobody', { kind: 'password', password: '' })).toBeUndefined();
  expect(await enter('a\0', { kind: 'password', password })).toBeUndefined();

  const mine = ssh2.utils.generateKeyPairSync('ed25519').public;
  const key = (line: string) => Buffer.from(line.split(' ')[1]!, 'base64');
  expect(await enter(login, { kind: 'key', key: key(mine) })).toBeUndefined();
  await control.run(sql`update sftp_account set public_keys = ${[mine]} where login = ${login}`);
  expect(await enter(login, { kind: 'key', key: key(mine) })).toBe(t.db.site.id);
  const other = ssh2.utils.generateKeyPairSync('ed25519').public;
  expect(await enter(login, { kind: 'key', key: key(other) })).toBeUndefined();
});
