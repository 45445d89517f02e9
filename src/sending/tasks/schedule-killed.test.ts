import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import {
  holdRanges,
  jobsOf,
  lastJob,
  makeReadyCampaign,
  waitingTasks,
} from '../../testing/sending-campaign.ts';
import { addRelay } from '../../testing/sending-tester.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { WorkerProcess } from '../../testing/worker-process.ts';
import { findLostGenerations } from './generate-job.ts';

let t: TestApp;
let sink: SmtpSink;
const workers: WorkerProcess[] = [];
const readers = Array.from({ length: 20 }, (_, index) => index + 1);
beforeAll(async () => {
  t = await testApp();
  sink = await smtpSink();
  await addRelay(t.db, sink.port);
  await makeSubscribers(t.db, readers);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
  sink.messages.length = 0;
});
afterAll(() => Promise.all([t.close(), sink.close()]));

const secret = randomBytes(32).toString('hex');
function startWorker(): WorkerProcess {
  const worker = new WorkerProcess({
    connection: t.connection,
    secret,
    pollMs: 50,
    runsTasks: true,
  });
  workers.push(worker);
  return worker;
}

/** A campaign with two dates that are due and one in a year. The processes have the clock of the machine. */
async function due(): Promise<{ id: number; later: Date }> {
  const now = new Date();
  t.clock.set(now);
  const later = new Date(now.getTime() + 365 * 86_400_000);
  const id = await makeReadyCampaign(t.db);
  const body = [new Date(now.getTime() - 1_000), now, later].map((date) => date.toISOString());
  expect((await t.call('POST', `/campaigns/${id}/schedule/calendar`, { body })).error).toBe(null);
  return { id, later };
}

/** Both dates are sent once, to everybody once, and the third waits with one task. */
async function isSentOnce(id: number, later: Date): Promise<void> {
  const isWaiting = async () => {
    const jobs = await jobsOf(t.db, id);
    return jobs.length >= 3 && jobs.at(-1)!.scheduledAt.getTime() === later.getTime();
  };
  await until(isWaiting, 'the third date to be planned');
  expect(await jobsOf(t.db, id)).toMatchObject([
    { state: 'Finished' },
    { state: 'Finished' },
    { state: 'Programmed', scheduledAt: later, campaignState: 'Programmed' },
  ]);
  expect(await waitingTasks(t.db, (await lastJob(t, id)).idJob)).toEqual([{ runAt: later }]);
  const to = sink.messages.map((message) => message.to.toString());
  expect([to.length, new Set(to).size]).toEqual([2 * readers.length, readers.length]);
  for (const one of new Set(to)) expect(to.filter((other) => other === one)).toHaveLength(2);
}

describe('the dates of a schedule', () => {
  it('are each started once by two processes at once', async () => {
    const { id, later } = await due();
    const both = [startWorker(), startWorker()];
    await Promise.all(both.map((worker) => worker.ready()));
    await isSentOnce(id, later);
  });

  const steps: readonly [string, (id: number, idJob: number) => Promise<Hold>][] = [
    [
      'when a date begins',
      (id) =>
        Hold.of(t.connection, `select from ${t.db.site.schema}.campaign where id = ${id} for no key update`),
    ],
    ['while its audience is frozen', () => holdRanges(t)],
    [
      // Another transaction adds the task of the next job, so that adding it is the step that waits.
      'when it ends and the next date is planned',
      (_id, idJob) =>
        Hold.of(
          t.connection,
          `select graphile_worker.add_job('nobody', job_key => 'generate ${t.db.site.id} ${idJob + 1}')`,
        ),
    ],
  ];
  it.each(steps)('are neither lost nor doubled by a kill -9 %s', async (_step, take) => {
    const { id, later } = await due();
    const hold = await take(id, (await lastJob(t, id)).idJob);
    const worker = startWorker();
    await hold.reached();
    await worker.end('SIGKILL');
    await hold.letGo();
    startWorker();
    startWorker();
    await isSentOnce(id, later);
  });

  it('are not lost with the queue: the next process plans each of them once', async () => {
    const { id, later } = await due();
    await t.app.control.pool.query('delete from graphile_worker._private_jobs');
    await Promise.all([findLost(), findLost()]);
    startWorker();
    await isSentOnce(id, later);
  });
});

const findLost = () => findLostGenerations.run(t.app, {}, new AbortController().signal);
