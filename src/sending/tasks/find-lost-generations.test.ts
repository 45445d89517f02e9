import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import { addRelay } from '../../testing/sending-tester.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { WorkerProcess } from '../../testing/worker-process.ts';
import { startJob } from '../control-jobs.ts';
import type { JobState } from '../job.ts';
import { findJob, moveJob } from '../job-store.ts';
import { findLostGenerations, generateJob } from './generate-job.ts';

let t: TestApp;
let sink: SmtpSink;
let idTarget: number;
const workers: WorkerProcess[] = [];
const readers = 50;
beforeAll(async () => {
  t = await testApp();
  sink = await smtpSink();
  await addRelay(t.db, sink.port);
  await makeSubscribers(
    t.db,
    Array.from({ length: readers }, (_, index) => index + 1),
  );
  idTarget = await makeTarget(t.db);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
  sink.messages.length = 0;
});
afterAll(() => Promise.all([t.close(), sink.close()]));

const { signal } = new AbortController();
const look = () => findLostGenerations.run(t.app, {}, signal);
const jobs = sql`graphile_worker._private_jobs`;
const lose = () => t.db.run(sql`delete from ${jobs}`);
const stateOf = async (idJob: number): Promise<JobState> => (await findJob(t.db, idJob))!.state;
const queued = (idJob: number) =>
  t.db.rows<{ id: string; attempts: number; runAt: Date; isFree: boolean }>(sql`
    select id::text, attempts, run_at as "runAt", locked_at is null as "isFree" from ${jobs}
    where (payload ->> 'idJob')::int = ${idJob} order by ${jobs}.id`);

async function programmed(scheduledAt: Date): Promise<number> {
  const idCampaign = await makeCampaign(t.db);
  await makeSegment(t.db, idCampaign, { idTarget });
  return t.db.transaction(async (tx) => {
    const campaign = await getCampaign(tx, idCampaign);
    await tx.run(sql`update ${tx.t.campaign} set schedule_state = 'Programmed' where id = ${idCampaign}`);
    return startJob(tx, { campaign, isTest: false, scheduledAt, author: 'Ada' }, t.clock.now());
  });
}

function startWorker(): WorkerProcess {
  const settings = { secret: randomBytes(32).toString('hex'), pollMs: 50, runsTasks: true };
  const worker = new WorkerProcess({ connection: t.connection, ...settings });
  workers.push(worker);
  return worker;
}

describe('a job whose generation was lost', () => {
  it.each([
    { what: 'its task is gone', after: () => lose().then(look) },
    { what: 'its task is there', after: () => Promise.resolve() },
  ])('is generated and sent once: kill -9 in the midst of it, and $what', async ({ after }) => {
    // The processes have the clock of the machine.
    const idJob = await programmed(new Date());
    const hold = await Hold.of(t.connection, 'lock table site_demo.recipient_range in exclusive mode');
    const worker = startWorker();
    await hold.reached();
    await worker.end('SIGKILL');
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Generating', attempt: 1 });
    await after();
    startWorker();
    // The killed process has left a session in PostgreSQL that is still at the hold; no other waits for it.
    const isTakenOver = async () => (await findJob(t.db, idJob))?.attempt === 2;
    await until(isTakenOver, 'another process to take it over');
    await hold.letGo();
    await until(async () => (await stateOf(idJob)) === 'Finished', 'it is sent');
    const to = sink.messages.map((message) => message.to);
    expect([to.length, new Set(to).size]).toEqual([readers, readers]);
  });

  it('has its task added again, for its time, once', async () => {
    const later = new Date(t.clock.now().getTime() + 600_000);
    const idJob = await programmed(later);
    await lose();
    await Promise.all([look(), look(), look()]);
    expect(await queued(idJob)).toMatchObject([{ attempts: 0, runAt: later }]);
  });

  it('is given up when its processes were killed at each of its attempts', async () => {
    const idJob = await programmed(t.clock.now());
    await t.db.run(sql`update ${jobs} set attempts = max_attempts`);
    await look();
    expect(await queued(idJob)).toMatchObject([{ attempts: 12 }]);
    await generateJob.gaveUp?.(t.app, { idSite: t.db.site.id, idJob });
    expect(await findJob(t.db, idJob)).toMatchObject({
      state: 'Error',
      errorInfo: 'The generation failed 12 times and is given up: the process that ran it ended',
    });
  });

  it.each<JobState[]>([[], ['Generating']])(
    'is missed when that is found out more than an hour late %s',
    async (...steps) => {
      const idJob = await programmed(t.clock.now());
      for (const state of steps) await moveJob(t.db, idJob, state);
      await lose();
      t.clock.advance(3_600_001);
      await look();
      expect(await queued(idJob)).toHaveLength(1);
      await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, signal);
      expect(await findJob(t.db, idJob)).toMatchObject({
        state: 'Error',
        errorInfo: expect.stringMatching(/^Missed/),
      });
    },
  );
});

describe('a job that is not lost is left alone', () => {
  it('while its task waits, and while it runs, even at its last attempt', async () => {
    const waiting = await programmed(new Date(t.clock.now().getTime() + 600_000));
    const running = await programmed(t.clock.now());
    await t.db.run(sql`
      update ${jobs} set attempts = max_attempts, locked_at = now(), locked_by = 'somebody'
      where (payload ->> 'idJob')::int = ${running}`);
    const before = [await queued(waiting), await queued(running)];
    await look();
    expect([await queued(waiting), await queued(running)]).toEqual(before);
  });

  it.each<JobState>(['Paused', 'Stopped', 'Error'])('when it is %s', async (state) => {
    const idJob = await programmed(t.clock.now());
    await lose();
    await moveJob(t.db, idJob, state);
    await look();
    expect(await queued(idJob)).toEqual([]);
  });
});
