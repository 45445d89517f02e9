import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
  // As on a busy disk: the message of an intent written faster than the kernel delivers a hang-up is uncertain.
  const { schema } = test.db.site;
  await test.app.control.pool.query(`
    create function ${schema}.be_slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.02); return null; end $$;
    create trigger be_slow after insert on ${schema}.send_log execute function ${schema}.be_slow()`);
});
afterEach(() => sending.end());
afterAll(() => test.close());

const recipients = 600;
const hangUps = 100;
/** The recipients on whose first attempt the relay hangs up; the others let its connections recover. */
const isHungUpOn = (to: string) => Number(/\d+/.exec(to)?.[0]) % (recipients / hangUps) === 0;

it.each([
  ['closes (FIN)', 'closeData', 1],
  ['resets (RST)', 'resetData', 1],
  ['answers 421 and closes', 'denyData', 1],
  ['closes (FIN) in the midst of a large message', 'closeData', 200],
  ['resets (RST) in the midst of a large message', 'resetData', 200],
] as const)(
  'a relay that %s before the final dot: at least 90 per cent are retried, the others uncertain',
  async (_, misdeed, kilobytes) => {
    const sink = await sending.relay({
      maxConnections: 20,
      misdeed: (to, attempt) => (attempt === 1 && isHungUpOn(to) ? misdeed : undefined),
    });
    const html = `<p>${'x'.repeat(kilobytes * 1_000)}</p><a href="[[LINK.UNSUB]]">unsubscribe</a>`;
    const made = await makeSending(test.db, { recipients, rangeSize: 100, html });
    sending.engine();
    const { receipts } = await sendingFinished(test.db, made);
    expect((receipts[1] ?? 0) + (receipts[4] ?? 0)).toBe(recipients);
    expect(receipts[4] ?? 0).toBeLessThanOrEqual(0.1 * hangUps);
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(sink.messages.length);
    expect(sink.messages.length).toBeGreaterThanOrEqual(receipts[1] ?? 0);
  },
);
