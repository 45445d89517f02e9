import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson } from '../../testing/make-session.ts';
import { linksOfAccount, linksOfAddress } from '../sign-in.ts';
import { updateUser } from '../user-store.ts';

describe('requestPasswordLink', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await testApp();
  });
  afterEach(() => t.close());

  const request = (email: string, remoteAddress = '192.0.2.1', headers = {}) =>
    t.server.inject({
      method: 'POST',
      url: '/v1/password-links',
      remoteAddress,
      headers,
      payload: { email },
    });
  const tasks = async (): Promise<unknown[]> =>
    (
      await t.app.control.pool.query(
        `select j.payload from graphile_worker._private_jobs j
         join graphile_worker._private_tasks k on k.id = j.task_id
         where k.identifier = 'sendPasswordLink' order by j.id`,
      )
    ).rows.map(({ payload }) => payload);

  it('200 with the same body for a user, a stranger, a disabled user and one without a password', async () => {
    const person = await makePerson(t);
    const disabled = await makePerson(t);
    await updateUser(t.app.control, disabled.id, { isDisabled: true });
    const bodies: string[] = [];
    for (const email of [
      person.email.toUpperCase(),
      'nobody@facteur.test',
      disabled.email,
      'ada@facteur.test',
      'x',
    ]) {
      const reply = await request(email);
      bodies.push(`${reply.statusCode} ${reply.body}`);
    }
    expect(new Set(bodies)).toEqual(new Set([bodies[0]]));
    expect(bodies[0]).toMatch(/^200 .*"data":true/);
    expect(await tasks()).toEqual([{ idUser: person.id }, { idUser: null }]);
  });

  it('429 after some for one account, whether it exists or not', async () => {
    for (const email of [(await makePerson(t)).email, 'nobody@facteur.test']) {
      const statuses: number[] = [];
      for (let i = 0; i <= linksOfAccount; i++) statuses.push((await request(email)).statusCode);
      expect(statuses).toEqual([...Array(linksOfAccount).fill(200), 429]);
    }
  });

  it('429 after many from one address', async () => {
    for (let i = 0; i < linksOfAddress; i++)
      expect((await request(`nobody${i}@facteur.test`)).statusCode).toBe(200);
    const reply = await request('somebody@facteur.test');
    expect(reply.statusCode).toBe(429);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(60);
    expect((await request('somebody@facteur.test', '192.0.2.2')).statusCode).toBe(200);
  });
});
