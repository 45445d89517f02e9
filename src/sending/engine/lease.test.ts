import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending } from '../../testing/make-sending.ts';
import { releaseRange, takeRanges } from './lease.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

describe('ranges that were released', () => {
  const holder = { owner: 'one', leaseS: 20 };
  const now = () => test.clock.now();
  const later = new Date('2026-11-20T11:00:00Z');

  /** A job of one range, released for the reason. */
  async function givenBack(notBefore: Date | null, limitedBy: number[] | null): Promise<number> {
    const { idJob } = await makeSending(test.db, { recipients: 2 });
    const [range] = await takeRanges(test.db, holder, idJob, 1, { at: now() });
    await releaseRange(test.db, range!, { notBefore, limitedBy });
    return idJob;
  }
  const isTaken = async (idJob: number, fullProviders: number[], at: Date | 'infinity' = now()) =>
    (await takeRanges(test.db, holder, idJob, 1, { at, fullProviders })).length === 1;

  it('for the limits of providers are leased when one of these has room', async () => {
    const idJob = await givenBack(null, [7, 8]);
    expect(await isTaken(idJob, [7, 8, 9])).toBe(false);
    expect(await isTaken(idJob, [7])).toBe(true);
    const { limited } = await test.db.one<{ limited: number[] | null }>(sql`
      select limited_by as limited from ${test.db.t.recipient_range} where id_job = ${idJob}`);
    expect(limited).toBeNull();
  });

  it('for these and for a later attempt are leased when either has come', async () => {
    const idJob = await givenBack(later, [7]);
    expect(await isTaken(idJob, [7])).toBe(false);
    expect(await isTaken(idJob, [7], later)).toBe(true);
    expect(await isTaken(await givenBack(later, [7]), [8])).toBe(true);
  });

  it('for a later attempt alone are leased then, and those of no reason at once', async () => {
    const idJob = await givenBack(later, null);
    expect(await isTaken(idJob, [])).toBe(false);
    expect(await isTaken(idJob, [7], later)).toBe(true);
    expect(await isTaken(await givenBack(null, null), [7])).toBe(true);
  });

  it('are all leased to be cancelled', async () => {
    expect(await isTaken(await givenBack(later, [7]), [], 'infinity')).toBe(true);
    expect(await isTaken(await givenBack(null, [7]), [], 'infinity')).toBe(true);
  });
});
