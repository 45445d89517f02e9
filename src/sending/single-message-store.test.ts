import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSending } from '../testing/make-sending.ts';
import { friendHash } from './forward.ts';
import { requestForwards } from './forward-store.ts';
import { type HeldMessage, singleStates } from './single-message.ts';
import {
  deferSingle,
  endLostSingles,
  endSingles,
  intendSingles,
  keepSingles,
  returnSingle,
  sitesWithSingles,
  takeSingles,
  withdrawSingles,
} from './single-message-store.ts';

const { accepted, refused, uncertain, pending, handingOver } = singleStates;
const leaseS = 60;
/** A lease that expires immediately. */
const lapsed = 0;

let test: TestApp;
let at: Date;
beforeAll(async () => {
  test = await testApp({ operations: [] });
  at = test.clock.now();
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.db.run(
    sql`truncate ${test.db.t.forward}, ${test.db.t.single_send}, ${test.db.t.single_message}`,
  );
  const { idSent } = await makeSending(test.db, { recipients: 0 });
  const email = 'ann@a.example';
  const friend = { email, hash: friendHash(test.app.secrets, test.db.site.id, email) };
  await requestForwards(test.db, {
    idSent,
    idSubscriber: 1,
    friends: [friend],
    name: '',
    language: 'en',
    at,
  });
});

async function take(seconds = leaseS): Promise<HeldMessage> {
  const [held] = await takeSingles(test.db, at, { owner: 'one', leaseS: seconds }, 10);
  return held!;
}

const intend = async (held: HeldMessage) =>
  (await intendSingles(test.db, [{ held, provider: 0 }], leaseS)).has(held.id);

async function stored(): Promise<{ state: number; code: number; friend: string | null }> {
  return test.db.one(sql`
    select m.state, m.code, f.friend
    from ${test.db.t.single_message} m join ${test.db.t.forward} f on f.id_message = m.id`);
}

describe('a single message', () => {
  it('is held by one at a time, and by another when the lease has expired', async () => {
    const first = await take();
    expect(await takeSingles(test.db, at, { owner: 'other', leaseS }, 10)).toEqual([]);
    await keepSingles(test.db, [first], lapsed);
    const second = await take();
    expect(second.lease).toBe(first.lease + 1);
    expect(await intend(first)).toBe(false);
    expect(await intend(second)).toBe(true);
    // A dot is written after one intent only.
    expect(await intend(second)).toBe(false);
    await returnSingle(test.db, first, at);
    await endSingles(test.db, [{ held: first, state: refused, code: 550 }], at);
    expect((await stored()).state).toBe(handingOver);
  });

  it('is not taken before its time', async () => {
    const held = await take();
    await deferSingle(test.db, held, new Date(at.getTime() + 1_000), 451);
    expect(await take()).toBeUndefined();
    const [later] = await takeSingles(test.db, new Date(at.getTime() + 1_000), { owner: 'one', leaseS }, 10);
    expect(later).toMatchObject({ deferrals: 1, id: held.id });
    expect(await stored()).toMatchObject({ state: pending, code: 451, friend: 'ann@a.example' });
  });

  it('whose holder dies after the intent is uncertain; a late reply is entered', async () => {
    const held = await take();
    await intend(held);
    await endLostSingles(test.db, at);
    expect((await stored()).state).toBe(handingOver);
    await keepSingles(test.db, [held], lapsed);
    await endLostSingles(test.db, at);
    expect(await stored()).toEqual({ state: uncertain, code: 0, friend: null });
    // Deferred after all, but not resent: the outcome is already uncertain.
    await deferSingle(test.db, held, at, 451);
    await returnSingle(test.db, held, at);
    expect((await stored()).state).toBe(uncertain);
    await endSingles(test.db, [{ held: held, state: accepted, code: 250 }], at);
    expect(await stored()).toEqual({ state: accepted, code: 250, friend: null });
    await endSingles(test.db, [{ held: held, state: refused, code: 550 }], at);
    expect((await stored()).state).toBe(accepted);
  });

  it('keeps the hint of its site until it has ended', async () => {
    const held = await take();
    await withdrawSingles(test.db);
    expect(await sitesWithSingles(test.app.control)).toEqual([test.db.site.id]);
    await endSingles(test.db, [{ held: held, state: accepted, code: 250 }], at);
    await withdrawSingles(test.db);
    expect(await sitesWithSingles(test.app.control)).toEqual([]);
  });
});
