import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyCampaign } from '../campaigns/campaign.ts';
import { findCampaign, getCampaign, insertCampaign, setScheduleState } from '../campaigns/campaign-store.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { startJob } from './control-jobs.ts';
import type { JobState } from './job.ts';
import {
  findJob,
  jobBucket,
  moveJob,
  offerJob,
  plannedJob,
  reportHindrance,
  tryMoveJob,
  withdrawJob,
} from './job-store.ts';

const at = new Date('2026-11-20T10:00:00Z');

describe('the store of jobs', () => {
  let t: TestApp;
  let idCampaign: number;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    const values = { ...emptyCampaign, parameters: { ...emptyCampaign.parameters, name: 'Spring' } };
    idCampaign = await insertCampaign(t.db, values, { id: 1, name: 'Ada' }, at);
    await setScheduleState(t.db, idCampaign, 'Programmed');
  });

  async function newJob(isTest = false): Promise<number> {
    const campaign = await getCampaign(t.db, idCampaign);
    return startJob(t.db, { campaign, isTest, scheduledAt: at, author: 'Ada' }, at);
  }

  const stateOf = async (id: number) => (await findJob(t.db, id))?.state;
  const campaignState = async () => (await findCampaign(t.db, idCampaign))?.scheduleState;

  it('makes one job of five requested at once', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => newJob()));
    expect(asked.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    const refused = asked.find((one) => one.status === 'rejected');
    expect(refused?.reason).toMatchObject({
      status: 409,
      message: 'The campaign has a job that is not finished',
    });
    expect(await plannedJob(t.db, idCampaign)).toMatchObject({ state: 'Programmed', isFrozen: false });
  });

  it('makes a job again when the last one ended, and test mailings at any time', async () => {
    const first = await newJob();
    await newJob(true);
    await newJob(true);
    await moveJob(t.db, first, 'Stopped', { endedAt: at });
    await expect(plannedJob(t.db, idCampaign)).rejects.toThrow('always has a row');
    expect(await newJob()).toBeGreaterThan(first);
  });

  it('numbers the tries to generate a job, and moves it for the last one only', async () => {
    const id = await newJob();
    const to = (state: JobState, attempt: number) =>
      tryMoveJob(t.db, id, ['Generating'], state, { startedAt: at, attempt });
    await moveJob(t.db, id, 'Generating', { startedAt: at });
    expect(await findJob(t.db, id)).toMatchObject({ attempt: 1, startedAt: at });
    expect(await to('Programmed', 1)).toBe(true);
    expect(await findJob(t.db, id)).toMatchObject({ attempt: 1, startedAt: null });
    await moveJob(t.db, id, 'Generating', { startedAt: at });
    for (const state of ['Sending', 'Finished', 'Programmed', 'Error'] as const)
      expect([await to(state, 1), await stateOf(id)]).toEqual([false, 'Generating']);
    expect([await to('Sending', 2), await campaignState()]).toEqual([true, 'InProgress']);
  });

  it('moves a real job together with its campaign', async () => {
    const id = await newJob();
    const seen: unknown[] = [];
    for (const to of ['Generating', 'Sending', 'Paused', 'Sending', 'FinishedWithErrors'] as JobState[]) {
      await moveJob(t.db, id, to);
      seen.push([await stateOf(id), await campaignState()]);
    }
    expect(seen).toEqual([
      ['Generating', 'InProgress'],
      ['Sending', 'InProgress'],
      ['Paused', 'Paused'],
      ['Sending', 'InProgress'],
      ['FinishedWithErrors', 'Finished'],
    ]);
  });

  it('leaves the campaign where it is when a test mailing moves', async () => {
    const id = await newJob(true);
    await moveJob(t.db, id, 'Generating', { startedAt: at });
    await moveJob(t.db, id, 'Error', { endedAt: at, errorInfo: 'no relay' });
    expect(await campaignState()).toBe('Programmed');
    expect(await findJob(t.db, id)).toMatchObject({ startedAt: at, endedAt: at, errorInfo: 'no relay' });
  });

  it('shows a hindrance to users until it no longer exists', async () => {
    const id = await newJob();
    await reportHindrance(t.db, id, 'The messages cannot be made: no key');
    expect(await findJob(t.db, id)).toMatchObject({
      state: 'Programmed',
      errorInfo: 'The messages cannot be made: no key',
    });
    await reportHindrance(t.db, id, null);
    expect(await findJob(t.db, id)).toMatchObject({ errorInfo: null });
    // A process that began it just before it was paused.
    await moveJob(t.db, id, 'Paused', { errorInfo: 'sending is held' });
    await reportHindrance(t.db, id, null);
    expect(await findJob(t.db, id)).toMatchObject({ errorInfo: 'sending is held' });
  });

  it('lets one of a pause and a step forward win, never both', async () => {
    const id = await newJob();
    await moveJob(t.db, id, 'Generating');
    const [paused, sent] = await Promise.all([
      tryMoveJob(t.db, id, ['Generating', 'Sending'], 'Paused'),
      tryMoveJob(t.db, id, ['Generating'], 'Sending'),
    ]);
    expect(paused).toBe(true);
    expect(await stateOf(id)).toBe('Paused');
    expect(await campaignState()).toBe('Paused');
    expect(typeof sent).toBe('boolean');
  });

  it('refuses a move that is not in the table, naming both states', async () => {
    const id = await newJob();
    await moveJob(t.db, id, 'Stopped');
    await expect(moveJob(t.db, id, 'Sending')).rejects.toMatchObject({
      status: 409,
      message: 'The job is stopped, so it cannot be sent',
    });
    await expect(moveJob(t.db, 999_999, 'Sending')).rejects.toMatchObject({ status: 404 });
    expect(await tryMoveJob(t.db, id, ['Stopped'], 'Sending')).toBe(false);
  });

  it('offers a job to the engine once', async () => {
    const id = await newJob();
    await offerJob(t.db, id);
    await offerJob(t.db, id);
    const rows = await t.app.control.rows(sql`
      select id_site as "idSite" from facteur.sending_job where id_job = ${id}`);
    expect(rows).toEqual([{ idSite: t.db.site.id }]);
  });

  it('takes a hint and the bucket of its speed away together, or neither', async () => {
    const { control } = t.app;
    const id = await newJob();
    await offerJob(t.db, id);
    await control.run(sql`
      insert into facteur.send_bucket (key, tokens, filled_at) values (${jobBucket(t.db.site.id, id)}, 1, now())`);
    const left = async () => {
      const hints = await control.rows(sql`select from facteur.sending_job where id_job = ${id}`);
      const buckets = await control.rows(sql`select from facteur.send_bucket`);
      return { hints: hints.length, buckets: buckets.length };
    };
    // Where the second one fails, as when the process dies between them.
    await control.run(sql`alter table facteur.send_bucket rename to elsewhere`);
    await expect(withdrawJob(t.db, id)).rejects.toThrow();
    await control.run(sql`alter table facteur.elsewhere rename to send_bucket`);
    expect(await left()).toEqual({ hints: 1, buckets: 1 });
    await withdrawJob(t.db, id);
    expect(await left()).toEqual({ hints: 0, buckets: 0 });
  });
});
