import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { receiptStates } from '../../activity/receipt.ts';
import { sql } from '../../platform/db/sql.ts';
import { sampleDomain } from '../../subscribers/sample-people.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type MadeSending, makeSending } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';

let t: TestApp;
let tester: SendingTester;
beforeAll(async () => {
  t = await testApp();
  tester = new SendingTester(t);
});
afterEach(() => tester.end());
afterAll(() => t.close());

/** A sending to six people, three of whom are made up. */
async function makeMixed(): Promise<MadeSending> {
  const made = await makeSending(t.db, { recipients: 6 });
  await t.db.run(sql`
    update ${t.db.t.subscriber} set fld1 = 'sample' || fld0 || ${`@${sampleDomain}`}
    where fld0 in (select unnest(subscribers[1:3]) from ${t.db.t.recipient_range} where id_job = ${made.idJob})`);
  return made;
}

const statesOf = ({ idSent }: MadeSending) =>
  t.db.values<number>(
    sql`select state from ${t.db.t.receipt} where id_sent = ${idSent} order by id_subscriber`,
  );

it('a relay gets no message to a made-up person; they are cancelled and everybody else is sent to', async () => {
  const sink = await tester.relay();
  const made = await makeMixed();
  tester.engine();
  await until(async () => (await statesOf(made)).length === 6, 'every recipient has a result');
  const { accepted, cancelled } = receiptStates;
  expect(await statesOf(made)).toEqual([cancelled, cancelled, cancelled, accepted, accepted, accepted]);
  expect(sink.messages).toHaveLength(3);
  expect(sink.messages.filter(({ to }) => to.endsWith(sampleDomain))).toEqual([]);
});

it('the built-in mailbox gets them', async () => {
  await t.app.control.run(sql`delete from facteur.route`);
  const mailbox = await tester.sink({ capabilities: ['AUTH PLAIN'] });
  const made = await makeMixed();
  tester.engine({ mailboxPort: mailbox.port });
  await until(async () => (await statesOf(made)).length === 6, 'every recipient has a result');
  expect(new Set(await statesOf(made))).toEqual(new Set([receiptStates.accepted]));
  expect(mailbox.messages.filter(({ to }) => to.endsWith(sampleDomain))).toHaveLength(3);
});
