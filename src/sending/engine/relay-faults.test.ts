import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { standardTimeouts } from '../../mail/outcome.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { freePort } from '../../testing/free-port.ts';
import { type MadeSending, makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { makeReadyCampaign } from '../../testing/sending-campaign.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { Misdeed, SinkOptions } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { findJob } from '../job-store.ts';
import { generateJob } from '../tasks/generate-job.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test, { relay: { maxConnections: 8 } });
});
afterEach(async () => {
  await sending.end();
  // What a test that failed has left must not be sent in the next one.
  await test.app.control.run(sql`delete from facteur.sending_job`);
});
afterAll(() => test.close());

/** Lets the engine's clock run 1,000 times as fast, so that later attempts come soon. */
function hurry(): void {
  const timer = setInterval(() => test.clock.advance(10_000), 10);
  sending.atEnd(async () => clearInterval(timer));
}

const finished = (made: MadeSending) => sendingFinished(test.db, made);

const uncertain = async (made: MadeSending) =>
  (
    await test.db.rows<{ email: string }>(sql`
      select s.fld1 as email from ${test.db.t.receipt} r join ${test.db.t.subscriber} s on s.fld0 = r.id_subscriber
      where r.id_sent = ${made.idSent} and r.state = 4`)
  ).map(({ email }) => email);

/** 5 % are deferred, 1 % dropped, 1 % accepted and dropped, 0.2 % accepted and left without a reply. */
function faultOf(n: number): Misdeed | undefined {
  if (n % 20 === 0) return 'defer';
  if (n % 100 === 1) return 'tearData';
  if (n % 100 === 2) return 'takeAndTear';
  return n % 500 === 3 ? 'takeAndHang' : undefined;
}

describe('a relay that does all of it', () => {
  it('loses nobody and doubles nobody, and each of whom it left no answer is listed', async () => {
    const recipients = 2_000;
    const left = new Set<string>();
    const torn = new Set<string>();
    const misdeed: SinkOptions['misdeed'] = (to, attempt) => {
      const fault = attempt === 1 ? faultOf(Number(/\d+/.exec(to)?.[0])) : undefined;
      if (fault === 'tearData') torn.add(to);
      if (fault === 'takeAndTear' || fault === 'takeAndHang') left.add(to);
      return fault;
    };
    let connections = 0;
    const banner = () => (++connections % 7 === 0 ? '421 busy' : undefined);
    const port = await freePort();
    let sink = await sending.relay({ port, misdeed, banner });
    const taken = () => [...first, ...sink.messages].map(({ to }) => to);
    const first: { readonly to: string }[] = [];
    const made = await makeSending(test.db, { recipients, rangeSize: 300 });
    hurry();
    // The final dot's ten minutes made short, or those that hang would take as long.
    sending.engine({
      retry: { delays: [60_000], giveUpAfter: 86_400_000 },
      timeouts: { ...standardTimeouts, finalDot: 3_000 },
    });
    await until(() => sink.messages.length >= 700, 'it is under way');
    // Messages whose answers the end of the relay cuts off are uncertain as well: at most one a connection.
    await sink.close();
    first.push(...sink.messages);
    sink = await sending.sink({ port, misdeed, banner });
    const { receipts, open } = await finished(made);
    expect(open).toBe(0);
    expect((receipts[1] ?? 0) + (receipts[4] ?? 0)).toBe(recipients);
    expect(new Set(taken()).size).toBe(taken().length);
    const listed = await uncertain(made);
    expect(listed).toEqual(expect.arrayContaining([...left]));
    const unexplained = listed.filter((to) => !left.has(to) && !torn.has(to));
    expect(unexplained.length).toBeLessThanOrEqual(8);
    // All other recipients have the message.
    expect(taken().length).toBeGreaterThanOrEqual(receipts[1]!);
    expect(left.size).toBe(24);
  });

  it('which takes only so many connections keeps those that it took', async () => {
    let accepted = 0;
    let refused = 0;
    const sink = await sending.relay({
      delayMs: 3,
      banner: () => {
        const isFull = sink.connections() > 3;
        if (isFull) refused += 1;
        else accepted += 1;
        return isFull ? '421 too many connections' : undefined;
      },
    });
    const made = await makeSending(test.db, { recipients: 1_000 });
    sending.engine();
    expect((await finished(made)).receipts).toEqual({ 1: 1_000 });
    expect(sink.messages).toHaveLength(1_000);
    expect(refused).toBeGreaterThan(0);
    expect(accepted).toBeLessThanOrEqual(6);
  });

  it('which answers byte by byte is only slow', async () => {
    const sink = await sending.relay({ dripMs: 5 });
    const made = await makeSending(test.db, { recipients: 40 });
    sending.engine();
    expect((await finished(made)).receipts).toEqual({ 1: 40 });
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(sink.messages.length);
  });
});

describe('a clock that jumps by an hour', () => {
  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('%s shifts later attempts, and writes to everybody once', async (_, jump) => {
    const sink = await sending.relay({
      delayMs: 1,
      misdeed: (to, attempt) =>
        Number(/\d+/.exec(to)?.[0]) % 4 === 0 && attempt === 1 ? 'defer' : undefined,
    });
    const made = await makeSending(test.db, { recipients: 800, rangeSize: 100 });
    sending.engine({ retry: { delays: [300_000], giveUpAfter: 86_400_000 } });
    await until(() => sink.messages.length >= 150, 'it is under way');
    test.clock.advance(jump);
    await until(() => sink.messages.length >= 400, 'it goes on');
    test.clock.advance(-jump);
    await until(() => sink.messages.length >= 550, 'and on');
    hurry();
    expect((await finished(made)).receipts).toEqual({ 1: 800 });
    expect(sink.messages).toHaveLength(800);
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(800);
  });

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('%s lets a job that is due be generated once', async (_, jump) => {
    const idCampaign = await makeReadyCampaign(test.db);
    await test.db.run(sql`insert into ${test.db.t.subscriber} (fld1) values (${`clock${jump}@example.org`})`);
    const asked = await test.call('POST', '/campaigns/send-now', { body: idCampaign });
    expect(asked.error).toBe(null);
    const { id: idJob } = await test.db.one<{ id: number }>(sql`
      select id from ${test.db.t.job} where id_campaign = ${idCampaign}`);
    const run = () =>
      generateJob.run(test.app, { idSite: test.db.site.id, idJob }, new AbortController().signal);
    test.clock.advance(jump);
    await run();
    const ranges = () =>
      test.db.rows(sql`select number from ${test.db.t.recipient_range} where id_job = ${idJob}`);
    const before = await ranges();
    expect(before.length).toBeGreaterThan(0);
    test.clock.advance(-jump);
    await run();
    expect(await ranges()).toEqual(before);
    expect((await findJob(test.db, idJob))?.state).toBe('Sending');
  });
});
