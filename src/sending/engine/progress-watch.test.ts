import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Suspensions } from '../../alerts/suspensions.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { freePort } from '../../testing/free-port.ts';
import {
  type MadeSending,
  makeSending,
  type SendingOptions,
  sendingFinished,
  sendingResult,
} from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { eagerWatch, losePatience, watchedAnew } from '../../testing/watched-job.ts';
import { moveJob } from '../job-store.ts';
import { countStalledSendings } from '../sending-health.ts';
import { ProgressWatch } from './progress-watch.ts';
import { Providers } from './providers.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly idJob?: number;
}

let test: TestApp;
let sending: SendingTester;
const lines: Line[] = [];
beforeAll(async () => {
  test = await testApp({
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
  sending = new SendingTester(test, { engine: { watch: eagerWatch } });
});
afterEach(async () => {
  await sending.end();
  await test.app.control.run(sql`delete from facteur.sending_job`);
});
afterAll(() => test.close());

const { everyMs } = eagerWatch;

const make = (options: SendingOptions) => makeSending(test.db, options);
const told = (made: MadeSending, level: number) =>
  lines.filter(
    (line) => line.idJob === made.idJob && line.level === level && /progress|goes on/.test(line.msg),
  );
const alarms = (made: MadeSending) => told(made, 50).length;
const stalled = () => countStalledSendings(test.app.control);
const finished = (made: MadeSending) => sendingFinished(test.db, made);

/** Waits for the alarm of a job that is stalled: again and again all the time that the watch has patience passes. */
const alarmed = (made: MadeSending, times = 1) =>
  until(async () => {
    await losePatience(test.app.control);
    return alarms(made) === times && (await stalled()) === 1;
  }, `alarm ${times}`);

/** Lets that time pass for a job that waits, under one watch, and expects no alarm. */
async function expectPatience(made: MadeSending): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await watchedAnew(test.app.control, made.idJob);
    await losePatience(test.app.control);
  }
  await watchedAnew(test.app.control, made.idJob);
  expect([alarms(made), await stalled()]).toEqual([0, 0]);
}

describe('a job that makes no progress', () => {
  it('is logged once for each episode, by one of the engines, until it continues', async () => {
    const maxConnections = 4;
    let isHanging = true;
    let hanging: string[] = [];
    const misdeed = (to: string) => {
      if (isHanging) hanging.push(to);
      return isHanging ? ('takeAndHang' as const) : undefined;
    };
    /** All connections have a message without an answer: nothing more comes into the job's log. */
    const hangs = ({ messages }: SmtpSink) =>
      hanging.length === maxConnections && hanging.every((one) => messages.some(({ to }) => to === one));
    const port = await freePort();
    const first = await sending.relay({ port, misdeed, maxConnections });
    const made = await make({ recipients: 300 });
    sending.engine();
    sending.engine();
    await until(() => hangs(first), 'it stands still');
    await alarmed(made);
    for (let times = 0; times < 3; times++) await watchedAnew(test.app.control, made.idJob);
    expect([alarms(made), told(made, 30).length]).toEqual([1, 0]);
    // The relay breaks down and comes back, and hangs again a hundred messages later.
    isHanging = false;
    hanging = [];
    await first.close();
    const again = await sending.sink({
      port,
      misdeed,
      onMessage: () => {
        isHanging = again.messages.length > 100;
      },
    });
    await until(() => told(made, 30).length === 1, 'it is told that it goes on');
    await until(() => hangs(again), 'it stands still again');
    await alarmed(made, 2);
    isHanging = false;
    await again.close();
    await sending.sink({ port });
    await finished(made);
    await until(async () => (await stalled()) === 0, 'the alarm is over');
    expect(alarms(made)).toBe(2);
  });

  it('is one whose relay is unavailable', async () => {
    await sending.routeTo(await freePort());
    const made = await make({ recipients: 3 });
    sending.engine();
    await alarmed(made);
  });

  it('counts as progressing when it is watched again after a time in which no engine ran', async () => {
    const made = await make({ recipients: 1 });
    await test.app.control.run(sql`
      update facteur.sending_job set moved_at = clock_timestamp() - interval '1 h',
        watched_at = clock_timestamp() - interval '1 h' where id_job = ${made.idJob}`);
    const patient = new ProgressWatch(watched(true), { everyMs, stalledAfterMs: 60_000 });
    sending.atEnd(() => patient.stop());
    await watchedAnew(test.app.control, made.idJob);
    await watchedAnew(test.app.control, made.idJob);
    expect(await stalled()).toBe(0);
  });
});

describe('a sending that waits on purpose raises no alarm', () => {
  it.each([
    ['for its own speed', { sendingSpeed: 36 }, 0],
    ['for the speed of its route', {}, 36],
    ['for the speed of a provider', { domain: 'gmail.com' }, 0],
  ])('%s', async (_, options, perHour) => {
    const sink = await sending.relay({ messagesPerHour: perHour });
    const ofProvider = 'domain' in options ? 36 : 0;
    await test.app.control.run(
      sql`update facteur.provider set messages_per_hour = ${ofProvider} where id = 1`,
    );
    const made = await make({ recipients: 10, ...options });
    sending.engine();
    // The next one after 100 s.
    await until(() => sink.messages.length >= 1, 'the first message');
    await expectPatience(made);
    expect(sink.messages).toHaveLength(1);
    await moveJob(test.db, made.idJob, 'Stopped');
    await until(async () => (await sendingResult(test.db, made)).open === 0, 'it is stopped');
  });

  it('for a later attempt, and while it is paused', async () => {
    await sending.relay({ misdeed: () => 'defer' });
    const made = await make({ recipients: 5 });
    sending.engine({ retry: { delays: [3_600_000], giveUpAfter: 86_400_000 } });
    const putOff = sql`
      select from ${test.db.t.recipient_range} where id_job = ${made.idJob} and not_before > ${test.clock.now()}`;
    await until(async () => (await test.db.rows(putOff)).length === 1, 'all were tried, and wait');
    await expectPatience(made);
    await moveJob(test.db, made.idJob, 'Paused');
    await expectPatience(made);
  });

  it('for its turn, when no process may begin another job of the site', async () => {
    const made = await make({ recipients: 1 });
    const full = new ProgressWatch(watched(false), eagerWatch);
    await expectPatience(made);
    await full.stop();
    const idle = new ProgressWatch(watched(true), eagerWatch);
    sending.atEnd(() => idle.stop());
    // No process begins it, although one could.
    await alarmed(made);
  });
});

function watched(hasRoom: boolean) {
  const { app } = test;
  const parts = {
    providers: new Providers(app.control, 'watch', () => undefined),
    suspensions: new Suspensions(app),
  };
  return { app, ...parts, routesOf: async () => [], hasRoomFor: () => hasRoom };
}
