import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { callerFinder, findCaller } from './caller-store.ts';
import { createToken, listTokens, revokeToken } from './token-store.ts';

describe('findCaller', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const make = (options: object = {}) =>
    createToken(
      t.app.control,
      { idUser: 1, label: '', role: 'sender', idsSite: [t.db.site.id], expiresAt: null, ...options },
      t.clock.now(),
    );

  it('shows who calls, with what rights, and which sites', async () => {
    const { id, text } = await make();
    const found = await findCaller(t.app.control, text, 'demo', t.clock.now());
    expect(found).toEqual({
      caller: {
        idToken: id,
        idSession: null,
        idUser: 1,
        userName: 'Ada',
        rights: new Set(['read', 'write', 'send']),
      },
      reachesSite: true,
    });
    expect(await findCaller(t.app.control, text, 'other', t.clock.now())).toMatchObject({
      reachesSite: false,
    });
    expect(await findCaller(t.app.control, text, 'nowhere', t.clock.now())).toMatchObject({
      reachesSite: false,
    });
  });

  it('finds nothing for a text that is wrong, altered or empty', async () => {
    const { text } = await make();
    for (const wrong of ['', 'fct_', `${text}x`, text.slice(0, -1), text.toUpperCase()])
      expect(await findCaller(t.app.control, wrong, 'demo', t.clock.now())).toBeUndefined();
  });

  it('ends at the expiry, even where the token is cached', async () => {
    const find = callerFinder(t.app.control);
    const { text } = await make({ expiresAt: new Date(t.clock.now().getTime() + 1000) });
    expect(await find(text, 'demo', t.clock.now())).toBeDefined();
    expect(await find(text, 'demo', new Date(t.clock.now().getTime() + 1000))).toBeUndefined();
  });

  it('sees a revocation at once without the cache, and knows no token that it never found', async () => {
    const { id, text } = await make();
    const find = callerFinder(t.app.control);
    await revokeToken(t.app.control, id, t.clock.now());
    expect(await find(text, 'demo', t.clock.now())).toBeUndefined();
  });

  it('writes the last use at most once a minute', async () => {
    const { id, text } = await make();
    const start = t.clock.now().getTime();
    const lastUse = async () =>
      (await listTokens(t.app.control)).find((token) => token.id === id)!.lastUseDate;
    for (const [afterMs, expected] of [
      [0, '2026-11-20T10:00:00.000Z'],
      [59_999, '2026-11-20T10:00:00.000Z'],
      [60_000, '2026-11-20T10:01:00.000Z'],
    ] as const) {
      await findCaller(t.app.control, text, 'demo', new Date(start + afterMs));
      expect(await lastUse()).toBe(expected);
    }
  });

  it('is deleted with its user', async () => {
    const { id: idUser } = await t.app.control.one<{ id: number }>(sql`
      insert into facteur.app_user (name, email, created_at) values ('Bo', 'bo@facteur.test', now()) returning id`);
    const { text } = await make({ idUser });
    await t.app.control.run(sql`delete from facteur.app_user where id = ${idUser}`);
    expect(await findCaller(t.app.control, text, 'demo', t.clock.now())).toBeUndefined();
  });
});
