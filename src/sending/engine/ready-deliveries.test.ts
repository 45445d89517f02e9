import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Suspensions } from '../../alerts/suspensions.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type MadeSending, makeSending } from '../../testing/make-sending.ts';
import { until } from '../../testing/until.ts';
import { JobMessages } from '../job-messages.ts';
import { frozenJob } from '../job-store.ts';
import { type Delivery, staleAfterMs } from './delivery.ts';
import { GroupCommit } from './group-commit.ts';
import { JobRun } from './job-run.ts';
import { standardRetry } from './outcomes.ts';
import { HourlyPermits } from './permits.ts';
import { Providers } from './providers.ts';

const provider = 1;
const accepted = { kind: 'accepted', code: 250, enhanced: '', text: '' } as const;

let test: TestApp;
let made: MadeSending;
let now: () => number;
/** Milliseconds that have passed besides. */
let passed: number;
const jobs: JobRun[] = [];
beforeEach(async () => {
  test = await testApp({ operations: [] });
  await test.app.control.run(sql`update facteur.provider set max_connections = 1 where id = ${provider}`);
  await test.app.control.run(sql`insert into facteur.provider_domain values ('one.example', ${provider})`);
  passed = 0;
  now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
});
afterEach(async () => {
  for (const job of jobs.splice(0)) job.stop();
  vi.restoreAllMocks();
  await test.close();
});

/** Runs the job in a process of this name, without the connections that would take its messages. */
async function runIn(owner: string): Promise<{ job: JobRun; providers: Providers }> {
  const { app, db } = test;
  const holder = { owner, leaseS: 20 };
  const providers = new Providers(app.control, owner, () => undefined);
  await providers.refresh();
  const parts = {
    app,
    holder,
    hourly: new HourlyPermits(app.control),
    providers,
    suspensions: new Suspensions(app),
    retry: standardRetry,
  };
  const frozen = await frozenJob(db, made.idJob);
  const messages = await JobMessages.open(app, db.site.id, frozen);
  const commit: GroupCommit = new GroupCommit(db, holder, () => app.clock.now(), {
    committed: (run, state) => {
      job.seen(state);
      job.settle(run);
    },
    fenced: (run) => job.settle(run),
    failed: () => undefined,
  });
  const of = { db, idJob: made.idJob, frozen, messages, commit };
  const job: JobRun = new JobRun(parts, of, { wake: () => undefined, canSend: () => true });
  jobs.push(job);
  job.fill();
  return { job, providers };
}

async function next(job: JobRun): Promise<Delivery> {
  let found: Delivery | undefined;
  await until(() => {
    found = job.take();
    return found !== undefined;
  }, 'a recipient');
  return found!;
}

/** Takes the first of three messages with the connection; the others are parked. */
async function threeInLine(owner: string): Promise<{ job: JobRun; providers: Providers; first: Delivery }> {
  made = await makeSending(test.db, { recipients: 3, domain: 'one.example' });
  const parts = await runIn(owner);
  const first = await next(parts.job);
  expect(parts.job.take()).toBeUndefined();
  expect(parts.job.readyCount).toBe(0);
  return { ...parts, first };
}

async function handOver(candidate: Delivery): Promise<unknown> {
  await candidate.supply.intend(candidate.item, provider);
  candidate.delivered(accepted, false);
  return candidate.supply.about(candidate.item).id;
}

const idsOf = async (): Promise<number[]> =>
  (
    await test.db.rows<{ id: number }>(sql`
      select unnest(subscribers) as id from ${test.db.t.recipient_range} where id_job = ${made.idJob}`)
  ).map(({ id }) => id);

const ranges = () =>
  test.db.rows(sql`
    select is_done, lease_owner as owner, nb_accepted, nb_cancelled
    from ${test.db.t.recipient_range} where id_job = ${made.idJob}`);

const freeIn = (providers: Providers) => providers.free(provider, () => undefined);

describe('a recipient who is parked for a connection to a provider', () => {
  it('is re-read after a long wait, and gets nothing if they have unsubscribed', async () => {
    const { job, first } = await threeInLine('one');
    const [one, two, three] = await idsOf();
    await test.db.run(sql`delete from ${test.db.t.subscriber} where fld0 = ${two}`);
    passed = staleAfterMs + 1;
    expect(await handOver(first)).toBe(one);
    expect(await handOver(await next(job))).toBe(three);
    await until(() => job.isOver, 'the job is over');
    expect(await ranges()).toEqual([{ is_done: true, owner: null, nb_accepted: 2, nb_cancelled: 1 }]);
  });

  it('goes back with its range when the job is stopped, and keeps no connection', async () => {
    const { job, providers, first } = await threeInLine('one');
    job.stop();
    expect(job.readyCount).toBe(0);
    await handOver(first);
    await until(async () => (await ranges())[0]!.owner === null, 'the range is released');
    expect(await ranges()).toMatchObject([{ is_done: false }]);
    await until(() => job.isOver, 'the run has ended');
    await until(() => freeIn(providers) === 1, 'its connection');
  });

  it('is left to another process that took the range over, and so is the message in flight', async () => {
    const { job, providers, first } = await threeInLine('one');
    const lapsed = sql`lease_until = clock_timestamp() - interval '1 second'`;
    await test.db.run(sql`update ${test.db.t.recipient_range} set ${lapsed} where id_job = ${made.idJob}`);
    // Which of them has the one connection is no matter here.
    await test.app.control.run(sql`update facteur.provider set max_connections = 0 where id = ${provider}`);
    const { job: other } = await runIn('two');
    await until(async () => (await ranges())[0]!.owner === 'two', 'the range is taken over');
    await expect(first.supply.intend(first.item, provider)).rejects.toThrow(
      'Another process holds the range',
    );
    first.delivered({ kind: 'notAttempted', text: '' }, true);
    await until(() => freeIn(providers) === 1, 'its connection');
    expect(job.take()).toBeUndefined();
    const sent = new Set<unknown>();
    for (let count = 0; count < 3; count++) sent.add(await handOver(await next(other)));
    expect(sent).toEqual(new Set(await idsOf()));
    await until(() => other.isOver, 'the job is over');
    expect((await ranges())[0]).toMatchObject({ is_done: true, nb_accepted: 3 });
  });
});
