import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { countStalledSendings } from '../../platform/installation/stalled-sendings.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  type MadeSending,
  makeSending,
  type SendingOptions,
  sendingFinished,
  sendingResult,
} from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import { moveJob } from '../job-store.ts';
import { ProgressWatch } from './progress-watch.ts';
import { Providers } from './providers.ts';
import { RateLimits } from './rate-limit.ts';

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
  sending = new SendingTester(test, { engine: { watch } });
});
afterEach(async () => {
  await sending.end();
  await test.app.control.run(sql`delete from facteur.sending_job`);
});
afterAll(() => test.close());

const watch = { everyMs: 50, stalledAfterMs: 1_500 };

const make = (options: SendingOptions) => makeSending(test.db, options);
const told = (made: MadeSending, level: number) =>
  lines.filter(
    (line) => line.idJob === made.idJob && line.level === level && /progress|goes on/.test(line.msg),
  );
const alarms = (made: MadeSending) => told(made, 50).length;
const stalled = () => countStalledSendings(test.app.control);
const finished = (made: MadeSending) => sendingFinished(test.db, made);

/** Waits until the watch has looked at a job for longer than its patience. */
async function watchedFor(made: MadeSending, seconds: number): Promise<void> {
  const { at } = await test.app.control.one<{ at: Date }>(sql`select clock_timestamp() as at`);
  await until(async () => {
    const row = await test.app.control.one<{ long: boolean }>(sql`
      select watched_at > ${at}::timestamptz + ${seconds} * interval '1 s' as long
      from facteur.sending_job where id_job = ${made.idJob}`);
    return row.long;
  }, 'it is watched');
}

describe('a sending that makes no progress', () => {
  it('is told of once an episode, by one of the engines, until it goes on', async () => {
    let isHanging = true;
    const misdeed = () => (isHanging ? ('takeAndHang' as const) : undefined);
    const hanging = await sending.relay({ misdeed });
    const made = await make({ recipients: 300 });
    sending.engine();
    sending.engine();
    await until(async () => (await stalled()) === 1, 'the alarm');
    await watchedFor(made, 0.5);
    expect([alarms(made), told(made, 30).length]).toEqual([1, 0]);
    // The relay breaks down and comes back, and hangs again a hundred messages later.
    isHanging = false;
    const { port } = hanging;
    await hanging.close();
    const again = await sending.sink({
      port,
      misdeed,
      onMessage: () => {
        isHanging = again.messages.length > 100;
      },
    });
    await until(() => told(made, 30).length === 1, 'it is told that it goes on');
    await until(() => alarms(made) === 2, 'the second alarm');
    expect(await stalled()).toBe(1);
    isHanging = false;
    await again.close();
    await sending.sink({ port });
    await finished(made);
    await until(async () => (await stalled()) === 0, 'the alarm is over');
    expect(alarms(made)).toBe(2);
  });

  it('is one whose relay is away', async () => {
    const gone = await sending.relay();
    await gone.close();
    const made = await make({ recipients: 3 });
    sending.engine();
    await until(() => alarms(made) === 1, 'the alarm');
  });

  it('is none while it is watched again after a time in which nobody did', async () => {
    const made = await make({ recipients: 1 });
    await test.app.control.run(sql`
      update facteur.sending_job set moved_at = clock_timestamp() - interval '1 h',
        watched_at = clock_timestamp() - interval '1 h' where id_job = ${made.idJob}`);
    const patient = new ProgressWatch(watched(true), { everyMs: 20, stalledAfterMs: 60_000 });
    sending.atEnd(() => patient.stop());
    await watchedFor(made, 0.3);
    expect(await stalled()).toBe(0);
  });
});

describe('a sending that waits on purpose raises no alarm', () => {
  it.each([
    ['for its own speed', { sendingSpeed: 1_800 }, 0],
    ['for the speed of its route', {}, 1_800],
    ['for the speed of a provider', { domain: 'gmail.com' }, 0],
  ])('%s', async (_, options, perHour) => {
    const sink = await sending.relay({ messagesPerHour: perHour });
    const ofProvider = 'domain' in options ? 1_800 : 0;
    await test.app.control.run(
      sql`update facteur.provider set messages_per_hour = ${ofProvider} where id = 1`,
    );
    const made = await make({ recipients: 10, ...options });
    sending.engine();
    // One each two seconds, which is longer than the watch is patient.
    await until(() => sink.messages.length >= 3, 'three messages', 20_000);
    expect(alarms(made)).toBe(0);
    await moveJob(test.db, made.idJob, 'Stopped');
    await until(async () => (await sendingResult(test.db, made)).open === 0, 'it is stopped');
  });

  it('for a later attempt, and while it is paused', async () => {
    await sending.relay({ misdeed: () => 'defer' });
    const made = await make({ recipients: 5 });
    sending.engine({ retry: { delays: [3_600_000], giveUpAfter: 86_400_000 } });
    await until(async () => (await sendingResult(test.db, made)).logRows > 0, 'it was tried');
    await watchedFor(made, 2);
    await moveJob(test.db, made.idJob, 'Paused');
    await watchedFor(made, 2);
    expect(alarms(made)).toBe(0);
  });

  it('for its turn, when no process may begin another job of the site', async () => {
    const made = await make({ recipients: 1 });
    const full = new ProgressWatch(watched(false), watch);
    await watchedFor(made, 2);
    await full.stop();
    expect(alarms(made)).toBe(0);
    const idle = new ProgressWatch(watched(true), watch);
    sending.atEnd(() => idle.stop());
    await until(() => alarms(made) === 1, 'nobody begins it, though somebody could');
  });
});

function watched(hasRoom: boolean) {
  const { app } = test;
  const parts = {
    limits: new RateLimits(app.control),
    providers: new Providers(app.control, 'watch', () => undefined),
  };
  return { app, ...parts, routesOf: async () => [], hasRoomFor: () => hasRoom };
}
