import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSession } from '../../testing/make-session.ts';
import { Passkeys } from '../../testing/passkeys.ts';

describe('listPasskeys', () => {
  let passkeys: Passkeys;
  beforeAll(async () => {
    passkeys = await Passkeys.open();
  });
  afterAll(() => passkeys.t.close());

  it('200 lists those of the caller, with their last use, and nothing by which they are verified', async () => {
    const session = await makeSession(passkeys.t);
    await passkeys.add(session, 'My laptop');
    passkeys.t.clock.advance(60_000);
    await passkeys.signIn();
    const { status, data } = await passkeys.call('GET', '/me/passkeys', session);
    expect([status, data]).toEqual([
      200,
      [
        {
          id: 1,
          name: 'My laptop',
          creationDate: '2026-11-20T10:00:00.000Z',
          lastUseDate: '2026-11-20T10:01:00.000Z',
        },
      ],
    ]);
    const other = await makeSession(passkeys.t);
    expect((await passkeys.call('GET', '/me/passkeys', other)).data).toEqual([]);
  });
});
