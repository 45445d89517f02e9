import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCaller } from './accounts/caller-store.ts';
import { userOfPassword } from './accounts/sign-in.ts';
import { listSites } from './accounts/site-store.ts';
import { createToken, listTokens, revokeToken } from './accounts/token-store.ts';
import { createUser, findUser } from './accounts/user-store.ts';
import { makeFirstThings } from './first-start.ts';
import type { App } from './platform/app.ts';
import { sql } from './platform/db/sql.ts';
import { Secrets } from './platform/secrets.ts';
import { type TestApp, testApp } from './testing/app.ts';

describe('makeFirstThings', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await testApp({ operations: [] });
    await t.app.control.run(sql`delete from facteur.app_user`);
  });
  afterEach(() => t.close());

  const kept = () => readFileSync(join(t.dataDir, 'admin-token'), 'utf8').trim();
  const password = () => readFileSync(join(t.dataDir, 'admin-password'), 'utf8').trim();
  const rights = async (text: string) =>
    (await findCaller(t.app.control, text, undefined, t.clock.now()))?.caller.rights;
  const configured = (adminToken: string): App => ({ ...t.app, config: { ...t.app.config, adminToken } });

  it('creates one administrator who can sign in, shows the password once and stores it in the file', async () => {
    const { firstUser } = await makeFirstThings(t.app);
    expect(firstUser).toEqual({ email: 'admin@localhost', password: password() });
    const { email } = firstUser!;
    const user = await userOfPassword(t.app.control, email, firstUser!.password);
    expect(await findUser(t.app.control, user!.id)).toMatchObject({ email, isAdministrator: true });
    expect((await makeFirstThings(t.app)).firstUser).toBeUndefined();
  });

  it('makes the user that is missing when it was killed after writing the file', async () => {
    const { firstUser } = await makeFirstThings(t.app);
    await t.app.control.run(sql`delete from facteur.app_user`);
    expect((await makeFirstThings(t.app)).firstUser).toEqual(firstUser);
  });

  it('makes no user, and no password, where there is a user', async () => {
    await createUser(t.app.control, { name: 'Ada', email: 'ada@facteur.test' }, t.clock.now());
    expect((await makeFirstThings(t.app)).firstUser).toBeUndefined();
    expect(password).toThrow('ENOENT');
  });

  it('makes one token that administers, prints it once and keeps it in the file', async () => {
    const { adminToken } = await makeFirstThings(t.app);
    expect(adminToken).toBe(kept());
    expect((await rights(adminToken!))?.has('admin')).toBe(true);
    expect(await makeFirstThings(t.app)).toEqual({ adminToken: undefined });
  });

  it('does it once when several processes start at the same time', async () => {
    const all = await Promise.all([1, 2, 3].map(() => makeFirstThings(t.app)));
    expect(all.filter(({ adminToken }) => adminToken !== undefined)).toHaveLength(1);
    expect(all.filter(({ firstUser }) => firstUser !== undefined)).toHaveLength(1);
    expect(await listTokens(t.app.control)).toHaveLength(1);
    expect((await listSites(t.app.control)).map((site) => site.name)).toEqual(['demo', 'other']);
  });

  it('makes the row that is missing when it was killed after writing the file', async () => {
    const { adminToken } = await makeFirstThings(t.app);
    await t.app.control.run(sql`delete from facteur.token`);
    expect(await makeFirstThings(t.app)).toEqual({ adminToken });
    expect((await rights(adminToken!))?.has('admin')).toBe(true);
  });

  it('makes no new one after the first was revoked on purpose', async () => {
    await makeFirstThings(t.app);
    const [token] = await listTokens(t.app.control);
    await revokeToken(t.app.control, token!.id, t.clock.now());
    expect(await makeFirstThings(t.app)).toEqual({ adminToken: undefined });
    expect(await rights(kept())).toBeUndefined();
  });

  it('takes the configured token and repeats it nowhere', async () => {
    const app = configured('a-token-of-twenty-characters');
    expect((await makeFirstThings(app)).adminToken).toBeUndefined();
    expect(await makeFirstThings(app)).toEqual({ adminToken: undefined });
    expect((await rights('a-token-of-twenty-characters'))?.has('admin')).toBe(true);
    expect(() => kept()).toThrow('ENOENT');
  });

  it('makes no token where another caller already administers', async () => {
    await makeFirstThings(t.app);
    rmSync(join(t.dataDir, 'admin-token'));
    const [first] = await listTokens(t.app.control);
    const token = {
      idUser: first!.idUser,
      label: '',
      role: 'admin',
      idsSite: null,
      expiresAt: null,
    } as const;
    await createToken(t.app.control, token, t.clock.now());
    expect(await makeFirstThings(t.app)).toEqual({ adminToken: undefined });
  });

  it('refuses a database that was made with another secret', async () => {
    await makeFirstThings(t.app);
    const stranger = { ...t.app, secrets: new Secrets(randomBytes(32)) };
    await expect(makeFirstThings(stranger)).rejects.toThrow('made with another secret');
  });
});
