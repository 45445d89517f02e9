import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterEach(() => sending.end());
afterAll(() => test.close());

const recipients = 600;
const hangUps = 100;
/** Whether the relay hangs up on the first attempt of a recipient. */
const isHungUpOn = (to: string) => Number(/\d+/.exec(to)?.[0]) % (recipients / hangUps) === 0;

/** The recipients of a job whose relay hangs up on each first attempt, as what they end. */
it.each([
  ['closes (FIN)', 'closeData', 1],
  ['resets (RST)', 'resetData', 1],
  ['answers 421 and closes', 'denyData', 1],
  ['closes (FIN) in the midst of a large message', 'closeData', 300],
  ['resets (RST) in the midst of a large message', 'resetData', 300],
] as const)('a relay that %s before the final dot: at least 90 per cent are retried', {
  timeout: 30_000,
}, async (_, misdeed, kilobytes) => {
  const sink = await sending.relay({
    maxConnections: 20,
    misdeed: (to, attempt) => (attempt === 1 && isHungUpOn(to) ? misdeed : undefined),
  });
  const html = `<p>${'x'.repeat(kilobytes * 1_000)}</p><a href="[[LINK.UNSUB]]">unsubscribe</a>`;
  const made = await makeSending(test.db, { recipients, rangeSize: 100, html });
  sending.worker({ leaseS: 20, retry: { delays: [100], giveUpAfter: 60_000 } });
  const { receipts } = await sendingFinished(test.db, made, 25_000);
  console.log(misdeed, kilobytes, receipts);
  expect((receipts[1] ?? 0) + (receipts[4] ?? 0)).toBe(recipients);
  expect(receipts[4] ?? 0).toBeLessThanOrEqual(0.1 * hangUps);
  expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(sink.messages.length);
});
