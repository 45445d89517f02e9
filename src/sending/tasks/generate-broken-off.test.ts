import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  addBurning,
  burningExpression,
  burningOf,
  targetByExpression,
  untilBurning,
} from '../../testing/burning-filter.ts';
import { makeCampaign, makeSegment, makeSubscribers } from '../../testing/campaign-makers.ts';
import { type Programmed, programmed } from '../../testing/sending-campaign.ts';
import { until } from '../../testing/until.ts';
import { WorkerProcess } from '../../testing/worker-process.ts';
import { findJob } from '../job-store.ts';

/** An SQL filter takes minutes, on a connection of its own; it ends with the generation that requested it. */
describe('a generation whose SQL filter is being evaluated', () => {
  let t: TestApp;
  let quick: number;
  beforeAll(async () => {
    t = await testApp({ config: { sendDelayS: 0 } });
    await makeSubscribers(t.db, [1, 2, 3]);
    await addBurning(t.db);
    quick = await targetByExpression(t.db, 'fld0 <= 2');
  });
  afterAll(() => t.close());

  let idTarget: number;
  let idCampaign: number;
  let job: Programmed;
  let worker: WorkerProcess | undefined;
  beforeEach(async () => {
    idTarget = await targetByExpression(t.db, burningExpression);
    idCampaign = await makeCampaign(t.db);
    await makeSegment(t.db, idCampaign, { idTarget });
  });
  // Left by a failed test: it must not burn in the next one.
  afterEach(async () => {
    await worker?.end('SIGKILL');
    worker = undefined;
    await t.db.run(sql`
      update ${t.db.t.job} set state = 'Stopped' where id = ${job.idJob} and state = 'Generating'`);
    await untilBurning(t, 0);
  });

  /** A generation that evaluates the filter. */
  async function begin(signal?: AbortSignal): Promise<{ readonly ended: Promise<void> }> {
    job = await programmed(t, idCampaign);
    const ended = job.generate(signal);
    // Looked at where it is waited for.
    ended.catch(() => undefined);
    await untilBurning(t, 1);
    return { ended };
  }
  const act = (action: string) => t.call('POST', `/campaigns/${action}`, { body: idCampaign });
  const becomesQuick = () =>
    setFilter(t.db, { idTarget, kind: 'sql', isEnabled: true, definition: { sql: 'fld0 <= 2' } });
  const frozen = async () => {
    const rows = await t.db.rows<{ ids: number[] }>(sql`
      select subscribers as ids from ${t.db.t.recipient_range} where id_job = ${job.idJob} order by number`);
    return rows.flatMap(({ ids }) => ids);
  };

  it.each([
    { action: 'stop', state: 'Stopped' },
    { action: 'pause', state: 'Paused' },
  ])('is ended by $action, and the next count is served', async ({ action, state }) => {
    const { ended } = await begin();
    expect(await act(action)).toMatchObject({ status: 200, data: true });
    await ended;
    await untilBurning(t, 0);
    expect(await findJob(t.db, job.idJob)).toMatchObject({ state, errorInfo: null, isFrozen: false });
    expect(await frozen()).toEqual([]);
    expect(await t.call('GET', `/targets/${quick}/count`)).toMatchObject({ status: 200, data: 2 });
  });

  it('is ended when another run takes the job over, and continues there', async () => {
    const { ended } = await begin();
    const [first] = await burningOf(t);
    const second = job.generate();
    await ended;
    await until(async () => !(await burningOf(t)).includes(first!), 'the first to be ended');
    await untilBurning(t, 1);
    expect(await findJob(t.db, job.idJob)).toMatchObject({ state: 'Generating', attempt: 2 });
    expect((await act('stop')).status).toBe(200);
    await second;
    await untilBurning(t, 0);
  });

  it('is ended with the service, and the next run takes the job over', async () => {
    const service = new AbortController();
    const { ended } = await begin(service.signal);
    service.abort(new Error('the service ends'));
    await expect(ended).rejects.toThrow('the service ends');
    await untilBurning(t, 0);
    expect(await findJob(t.db, job.idJob)).toMatchObject({
      state: 'Generating',
      attempt: 1,
      errorInfo: null,
    });
    await becomesQuick();
    await job.generate();
    expect(await findJob(t.db, job.idJob)).toMatchObject({ state: 'Sending', attempt: 2, errorInfo: null });
    expect(await frozen()).toEqual([1, 2]);
  });

  it('is ended when its process is killed, and the next run takes the job over', async () => {
    job = await programmed(t, idCampaign);
    // The process has the clock of the machine.
    await t.db.run(sql`update ${t.db.t.job} set scheduled_at = now() where id = ${job.idJob}`);
    const generate = { idSite: t.db.site.id, idJob: job.idJob };
    worker = new WorkerProcess({
      connection: t.connection,
      secret: randomBytes(32).toString('hex'),
      generate,
    });
    await untilBurning(t, 1);
    await worker.end('SIGKILL');
    await untilBurning(t, 0);
    expect(await findJob(t.db, job.idJob)).toMatchObject({ state: 'Generating', attempt: 1 });
    await becomesQuick();
    await t.db.run(sql`update ${t.db.t.job} set scheduled_at = ${t.clock.now()} where id = ${job.idJob}`);
    await job.generate();
    expect(await findJob(t.db, job.idJob)).toMatchObject({ state: 'Sending', attempt: 2 });
    expect(await frozen()).toEqual([1, 2]);
  });
});
