import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';
import { untilWaiting } from '../../testing/until-waiting.ts';
import { createPasswordLink } from '../password-link-store.ts';
import { linksOfAddress } from '../sign-in.ts';
import { updateUser } from '../user-store.ts';

const password = 'another horse battery';

describe('usePasswordLink', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await testApp();
  });
  afterEach(() => t.close());

  const call = (path: string, body: object) => t.call('POST', path, { as: null, site: null, body });
  const use = (token: string) => call('/password-links/use', { token, password });
  const link = (idUser: number) => createPasswordLink(t.app.control, idUser, t.clock.now());
  const rejected = { status: 422, error: expect.stringContaining('token: the link is') };

  it('200 sets the password once, and ends all sessions of the user', async () => {
    const person = await makePerson(t);
    const session = await makeSession(t, person);
    const token = await link(person.id);
    expect(await use(token)).toMatchObject({ status: 200, data: true });
    expect((await t.call('GET', '/me', { session, site: null })).status).toBe(401);
    expect((await call('/session', { email: person.email, password })).status).toBe(200);
    expect(await use(token)).toMatchObject(rejected);
  });

  it('200 for one of two that come at once', async () => {
    const token = await link((await makePerson(t)).id);
    const statuses = (await Promise.all([use(token), use(token)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 422]);
  });

  it('422 for an unknown link, an old one, and that of a user who was disabled', async () => {
    const person = await makePerson(t);
    const other = await makePerson(t);
    const tokens = [await link(person.id), await link(other.id)];
    await t.app.control.pool.query('update facteur.app_user set is_disabled = true where id = $1', [
      other.id,
    ]);
    expect(await use(tokens[1]!)).toMatchObject(rejected);
    expect(await use('x'.repeat(43))).toMatchObject(rejected);
    t.clock.advance(3_600_001);
    expect(await use(tokens[0]!)).toMatchObject(rejected);
  });

  it('422 for the link of a user whose password an administrator has changed', async () => {
    const person = await makePerson(t);
    const token = await link(person.id);
    await updateUser(t.app.control, person.id, { password: 'from the administrator' });
    expect(await use(token)).toMatchObject(rejected);
  });

  it('422 when an administrator changes the password meanwhile; neither waits for the other for ever', async () => {
    const person = await makePerson(t);
    const token = await link(person.id);
    const changed = await t.app.control.transaction(async (tx) => {
      await tx.run(sql`select from facteur.app_user where id = ${person.id} for update`);
      const waiting = use(token);
      await untilWaiting(t.app.control, 'select from facteur.app_user where id%');
      await updateUser(tx, person.id, { password: 'from the administrator' });
      return { waiting };
    });
    expect(await changed.waiting).toMatchObject(rejected);
    const body = { email: person.email, password: 'from the administrator' };
    expect((await call('/session', body)).status).toBe(200);
  });

  it('422 for the link of a user whose email an administrator has changed', async () => {
    const person = await makePerson(t);
    const token = await link(person.id);
    await updateUser(t.app.control, person.id, { email: 'moved@facteur.test' });
    expect(await use(token)).toMatchObject(rejected);
  });

  it('429 after many attempts from one address', async () => {
    for (let i = 0; i < linksOfAddress; i++) expect((await use(`x${i}`)).status).toBe(422);
    expect((await use(await link((await makePerson(t)).id))).status).toBe(429);
  });
});
