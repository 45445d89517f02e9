import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type MadeSending, makeSending, sendingFinished, sendingResult } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import { resumeCampaign } from '../control-jobs.ts';
import { moveJob } from '../job-store.ts';
import type { SendingEngine } from './engine.ts';

const hour = 3_600_000;
const recipients = 5;

let test: TestApp;
let sending: SendingTester;
let engine: SendingEngine;
/** How often the relay has put each of them off. */
const tries = new Map<string, number>();
/** From this attempt on the relay takes a message. */
let takenFrom: number;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test, { engine: { retry: { delays: [8 * hour], giveUpAfter: 24 * hour } } });
});
afterEach(async () => {
  await sending.end();
  tries.clear();
});
afterAll(() => test.close());

async function begin(from: number): Promise<MadeSending> {
  takenFrom = from;
  await sending.relay({
    misdeed: (to, attempt) => {
      tries.set(to, attempt);
      return attempt < takenFrom ? 'defer' : undefined;
    },
  });
  const made = await makeSending(test.db, { recipients });
  await test.db.run(
    sql`update ${test.db.t.job} set resumed_at = ${test.clock.now()} where id = ${made.idJob}`,
  );
  engine = sending.engine();
  return made;
}

/** Defers all recipients `times` times, and releases the range until they are due. */
async function putOff(made: MadeSending, times: number): Promise<void> {
  const { recipient_range: range } = test.db.t;
  await until(async () => {
    const waits = await test.db.rows(sql`
      select from ${range} where id_job = ${made.idJob} and not_before > ${test.clock.now()} and lease_owner is null`);
    return waits.length === 1 && [...tries.values()].every((n) => n === times);
  }, `all are put off for the ${times}th time`);
}

async function pauseFor(made: MadeSending, ms: number): Promise<void> {
  await moveJob(test.db, made.idJob, 'Paused');
  test.clock.advance(ms);
  await test.db.transaction(async (tx) =>
    resumeCampaign(tx, await getCampaign(tx, made.idCampaign), test.clock.now()),
  );
}

describe('who was deferred before a pause of days', () => {
  it('is not given up at the first temporary answer after it, also by another process', async () => {
    const made = await begin(3);
    await putOff(made, 1);
    await engine.stop();
    await pauseFor(made, 48 * hour);
    engine = sending.engine();
    await putOff(made, 2);
    expect((await sendingResult(test.db, made)).receipts).toEqual({});
    test.clock.advance(8 * hour);
    expect((await sendingFinished(test.db, made)).receipts).toEqual({ 1: recipients });
  });

  it('is attempted for 24 hours from the resumption on, and expires then', async () => {
    const made = await begin(Number.POSITIVE_INFINITY);
    await putOff(made, 1);
    await pauseFor(made, 48 * hour);
    // At the resumption, and 8 and 16 hours after it.
    for (const times of [2, 3, 4]) {
      await putOff(made, times);
      expect((await sendingResult(test.db, made)).receipts).toEqual({});
      test.clock.advance(8 * hour);
    }
    expect((await sendingFinished(test.db, made)).receipts).toEqual({ 3: recipients });
    expect([...tries.values()]).toEqual(Array.from({ length: recipients }, () => 5));
  });
});
