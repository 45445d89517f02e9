import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSession } from '../../testing/make-session.ts';
import { Passkeys } from '../../testing/passkeys.ts';

describe('deletePasskey', () => {
  let passkeys: Passkeys;
  beforeAll(async () => {
    passkeys = await Passkeys.open();
  });
  afterAll(() => passkeys.t.close());

  it('200 deletes it, and it signs nobody in; 404 for that of another user and a second time', async () => {
    const session = await makeSession(passkeys.t);
    const { id } = (await passkeys.add(session)).data;
    const remove = (as: string) => passkeys.call('DELETE', `/me/passkeys/${id}`, as);
    expect(await remove(await makeSession(passkeys.t))).toMatchObject({
      status: 404,
      error: 'Passkey not found',
    });
    expect((await passkeys.signIn()).status).toBe(200);
    expect(await remove(session)).toMatchObject({ status: 200, data: true });
    expect((await passkeys.signIn()).status).toBe(401);
    expect((await remove(session)).status).toBe(404);
  });
});
