import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../platform/log.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import { moveJob, offerJob } from '../job-store.ts';

describe('the log of a job that ends', () => {
  let test: TestApp;
  let sending: SendingTester;
  const said: Record<string, unknown>[] = [];
  beforeAll(async () => {
    test = await testApp({
      log: openLog('info', { write: (line: string) => void said.push(JSON.parse(line)) }),
    });
    sending = new SendingTester(test, { relay: { maxConnections: 2 } });
  });
  afterEach(() => sending.end());
  afterAll(() => test.close());

  async function over(idJob: number): Promise<Record<string, unknown> | undefined> {
    const found = () => said.filter((line) => line.msg === 'job finished' && line.idJob === idJob);
    await until(() => found().length > 0, 'the end is told');
    expect(found()).toHaveLength(1);
    return found()[0];
  }

  it('contains the numbers of outcomes, and no address', async () => {
    const made = await makeSending(test.db, { recipients: 5 });
    let torn = 0;
    // The relay accepts the first message, and drops the connection before its reply.
    await sending.relay({ misdeed: () => (torn++ === 0 ? 'takeAndTear' : undefined) });
    sending.engine();
    expect((await sendingFinished(test.db, made)).receipts).toEqual({ 1: 4, 4: 1 });
    expect(await over(made.idJob)).toMatchObject({
      level: 30,
      site: test.db.site.name,
      isTest: false,
      state: 'FinishedWithErrors',
      accepted: 4,
      refused: 0,
      expired: 0,
      uncertain: 1,
      cancelled: 0,
    });
    expect(JSON.stringify(said)).not.toMatch(/"[^"]+@example/);
  });

  it('that was stopped', async () => {
    const made = await makeSending(test.db, { recipients: 5 });
    await moveJob(test.db, made.idJob, 'Stopped');
    await offerJob(test.db, made.idJob);
    await sending.relay({});
    sending.engine();
    expect(await over(made.idJob)).toMatchObject({ state: 'Stopped', accepted: 0, cancelled: 5 });
  });
});
