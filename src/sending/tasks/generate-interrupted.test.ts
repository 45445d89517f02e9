import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lockCampaign } from '../../campaigns/campaign-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import {
  holdFileLoad,
  holdRanges,
  holdSents,
  isOffered,
  jobsOf,
  lastJob,
  makeReadyCampaign,
  programmed,
} from '../../testing/sending-campaign.ts';
import { until } from '../../testing/until.ts';
import { stopJob } from '../control-jobs.ts';
import { finishJob } from '../engine/finish.ts';
import { findJob, plannedJob } from '../job-store.ts';

/** A generation that takes long: it is stalled at what a test holds. */
describe('a generation running', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ config: { sendDelayS: 0 } });
    await makeSubscribers(t.db, [1, 2, 3]);
  });
  afterAll(() => t.close());
  const holds: Hold[] = [];
  // Left by a failed test: they must not block the next one.
  afterEach(() => Promise.all(holds.splice(0).map((hold) => hold.letGo().catch(() => undefined))));
  async function held(taking: Promise<Hold>): Promise<Hold> {
    holds.push(await taking);
    return holds.at(-1)!;
  }

  const act = (action: string, id: number) => t.call('POST', `/campaigns/${action}`, { body: id });
  const frozen = async (idJob: number) => {
    const rows = await t.db.rows<{ ids: number[] }>(sql`
      select subscribers as ids from ${t.db.t.recipient_range} where id_job = ${idJob} order by number`);
    const sents = await t.db.rows(sql`select from ${t.db.t.sent} where id_job = ${idJob}`);
    return { people: rows.flatMap(({ ids }) => ids), sents: sents.length };
  };
  const nothing = { people: [], sents: 0 };
  const everybody = { people: [1, 2, 3], sents: 1 };

  it('is seen: the job is Generating and its campaign InProgress', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    const hold = await held(holdSents(t));
    const generating = generate();
    await hold.reached();
    const { data: jobs } = await t.call('GET', '/statistics/jobs', { query: { 'filters.sortDesc': true } });
    expect((jobs as unknown[])[0]).toMatchObject({
      idCampaign: id,
      jobStateName: 'Generating',
      startDate: t.clock.now().toISOString(),
      endDate: null,
    });
    const campaign = await t.call('GET', `/campaigns/${id}`);
    expect(campaign.data).toMatchObject({ schedulingInfos: { state: 'InProgress' } });
    await hold.letGo();
    await generating;
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', attempt: 1 });
    expect(await frozen(idJob)).toEqual(everybody);
  });

  it('shows how many people it has found so far', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1)
      select 1000 + n, 'far' || n || '@example.org' from generate_series(1, 2500) n`);
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    // The range that it writes first is being written by another.
    const hold = await held(
      Hold.of(
        t.connection,
        `
        insert into ${t.db.site.schema}.recipient_range (id_job, number, id_sent, subscribers)
        values (${idJob}, 1, 1, '{1}')`,
      ),
    );
    const generating = generate();
    await hold.reached();
    const found = async () => {
      const query = { 'filters.idsCampaign': [id], 'filters.onlyLast': true };
      const { data } = await t.call('GET', '/statistics/jobs', { query: query as never });
      return (data as { nbAddressToSend: number }[])[0]!.nbAddressToSend;
    };
    expect(await found()).toBe(2_000);
    await hold.letGo();
    await generating;
    expect(await found()).toBe(2_503);
    // The connection has its own name again.
    expect(
      await t.db.values(sql`select pid from pg_stat_activity where application_name like 'facteur rows%'`),
    ).toEqual([]);
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld1 like 'far%'`);
  });

  it('gives its worker to others while an import writes its rows, and comes back soon', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    await t.db.run(sql`update ${t.db.t.merge_state} set version = version + 1, id_import = 99, attempt = 1`);
    try {
      for (let times = 1; times <= 2; times++) {
        await generate();
        expect(await findJob(t.db, idJob)).toMatchObject({
          state: 'Programmed',
          errorInfo: expect.stringContaining('Import 99 has not written all of its rows'),
        });
        const again = await t.db.rows<{ at: Date }>(sql`
          select j.run_at as at from graphile_worker._private_jobs j
          where j.key = ${`generate ${t.db.site.id} ${idJob}`}`);
        expect(again).toEqual([{ at: new Date(t.clock.now().getTime() + 10_000) }]);
      }
    } finally {
      await t.db.run(sql`update ${t.db.t.merge_state} set id_import = null`);
    }
    await generate();
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', errorInfo: null });
    expect(await frozen(idJob)).toEqual(everybody);
  });

  it.each([
    { at: 'its sents', take: holdSents },
    { at: 'its audience', take: holdRanges },
  ])('is stopped at once, and aborted at $at', async ({ take }) => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    const hold = await held(take(t));
    const generating = generate();
    await hold.reached();
    expect(await act('stop', id)).toMatchObject({ status: 200, data: true });
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Stopped', campaignState: 'Stopped' }]);
    // While what it waited for is still held.
    await generating;
    await hold.letGo();
    expect(await frozen(idJob)).toEqual(nothing);
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Stopped', errorInfo: null, isFrozen: false });
    expect(await isOffered(t.db, idJob)).toBe(false);
  });

  it('is paused at once, and begun again when it is resumed, however late', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    const hold = await held(holdSents(t));
    const generating = generate();
    await hold.reached();
    expect(await act('pause', id)).toMatchObject({ status: 200, data: true });
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Paused', campaignState: 'Paused' }]);
    await generating;
    await hold.letGo();
    t.clock.advance(2 * 3_600_000);
    expect((await act('send-now', id)).status).toBe(200);
    expect(await jobsOf(t.db, id)).toMatchObject([
      { state: 'Programmed', campaignState: 'Programmed', scheduledAt: t.clock.now() },
    ]);
    expect(await findJob(t.db, idJob)).toMatchObject({ startedAt: null });
    await generate();
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', attempt: 2 });
    expect(await frozen(idJob)).toEqual(everybody);
  });

  it('comes to nothing when it continues after a pause and a later try', async () => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    await makeSegment(t.db, id, { idTarget });
    const { idJob, generate } = await programmed(t, id);
    // While a file is loaded it has no transaction that could be aborted.
    const hold = await held(holdFileLoad(t, idTarget, '1\n2\n3\n'));
    const first = generate();
    await hold.reached();
    expect((await act('pause', id)).status).toBe(200);
    expect((await act('send-now', id)).status).toBe(200);
    const second = generate();
    await until(async () => (await findJob(t.db, idJob))?.attempt === 2, 'the second try to begin');
    await hold.letGo();
    await Promise.all([first, second]);
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', attempt: 2 });
    expect(await frozen(idJob)).toEqual(everybody);
  });

  it('is taken over by a second task of its job', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    const hold = await held(holdRanges(t));
    const first = generate();
    await hold.reached();
    const second = generate();
    await first;
    await hold.reached();
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Generating', attempt: 2 });
    await hold.letGo();
    await second;
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', errorInfo: null });
    expect(await frozen(idJob)).toEqual(everybody);
  });

  it('is one of many concurrent tasks', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    await Promise.all(Array.from({ length: 5 }, generate));
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', errorInfo: null });
    expect(await frozen(idJob)).toEqual(everybody);
  });

  it.each([
    { by: 'fields', filters: [] },
    // In a transaction that reads from one snapshot.
    { by: 'an expression', filters: [{ kind: 'sql', definition: { sql: 'fld0 > 0' } }] },
  ])('by $by loses against a stop that comes before its last step', async ({ filters }) => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    for (const filter of filters) await setFilter(t.db, { idTarget, isEnabled: true, ...filter });
    await makeSegment(t.db, id, { idTarget });
    const { idJob, generate } = await programmed(t, id);
    const hold = await held(holdRanges(t));
    const generating = generate();
    await hold.reached();
    // As the operation does, in a transaction that waits for the generation to come and wait for it.
    await t.db.transaction(async (tx) => {
      await lockCampaign(tx, id);
      const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await hold.letGo();
      const waiting = sql`select from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`;
      await until(async () => (await t.db.run(waiting)) > 0, 'the generation to wait for the campaign');
      expect(await stopJob(tx, await plannedJob(tx, id), { endedAt: t.clock.now() })).toBe(true);
    });
    await generating;
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Stopped', campaignState: 'Stopped' }]);
    expect(await frozen(idJob)).toEqual(nothing);
    expect(await isOffered(t.db, idJob)).toBe(false);
  });

  it('wins against a stop that comes after its last step, which then cancels the frozen recipients', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    const hold = await held(Hold.of(t.connection, 'lock table facteur.sending_job in exclusive mode'));
    const generating = generate();
    await hold.reached();
    const stopping = act('stop', id);
    await hold.letGo();
    await generating;
    expect(await stopping).toMatchObject({ status: 200, data: true });
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Stopped', campaignState: 'Stopped' }]);
    expect(await frozen(idJob)).toEqual(everybody);
    expect(await isOffered(t.db, idJob)).toBe(true);
  });

  it('is missed when it is taken up more than an hour late', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    const hold = await held(holdSents(t));
    const first = generate();
    await hold.reached();
    t.clock.advance(3_600_001);
    await generate();
    await first;
    await hold.letGo();
    expect(await findJob(t.db, idJob)).toMatchObject({
      state: 'Error',
      errorInfo: expect.stringMatching(/^Missed/),
    });
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Error', campaignState: 'Missed' }]);
    expect(await frozen(idJob)).toEqual(nothing);
  });

  it('of a test mailing keeps nothing of its campaign waiting, and is stopped with it', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true, ids: [1] });
    const id = await makeReadyCampaign(t.db, {
      parameters: { name: 'Spring', subject: 'It is here', idTestTarget },
    });
    const real = await programmed(t, id);
    await real.generate();
    await t.db.run(sql`update ${t.db.t.recipient_range} set is_done = true where id_job = ${real.idJob}`);
    expect((await act('test-mailing', id)).status).toBe(200);
    const mailing = await lastJob(t, id);
    const hold = await held(holdRanges(t));
    const generating = mailing.generate();
    await hold.reached();
    for (const action of ['pause', 'send-now']) expect((await act(action, id)).status).toBe(200);
    expect(await finishJob(t.db, real.idJob, t.clock.now())).toBe(true);
    expect(await jobsOf(t.db, id)).toMatchObject([
      { state: 'Finished', campaignState: 'Finished' },
      { state: 'Generating', isTest: true },
    ]);
    expect((await act('stop', id)).status).toBe(200);
    await generating;
    await hold.letGo();
    expect(await findJob(t.db, mailing.idJob)).toMatchObject({ state: 'Stopped', isFrozen: false });
    expect(await frozen(mailing.idJob)).toEqual(nothing);
  });

  it('waits for no test mailing of its campaign that is being generated', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true, ids: [1] });
    const id = await makeReadyCampaign(t.db, {
      parameters: { name: 'Spring', subject: 'It is here', idTestTarget },
    });
    expect((await act('test-mailing', id)).status).toBe(200);
    const mailing = await lastJob(t, id);
    // It alone is stalled, with its sendings made and its audience frozen.
    const { schema } = t.db.site;
    await t.app.control.pool.query(`
      create function ${schema}.stand() returns trigger language plpgsql
        as $$ begin perform pg_advisory_xact_lock_shared(77); return new; end $$;
      create trigger stand after insert on ${schema}.recipient_range for each row
        when (new.id_job = ${mailing.idJob}) execute function ${schema}.stand()`);
    const hold = await held(Hold.of(t.connection, 'select pg_advisory_xact_lock(77)'));
    const generating = mailing.generate();
    await hold.reached();
    const real = await programmed(t, id);
    await real.generate();
    expect(await frozen(real.idJob)).toEqual(everybody);
    await hold.letGo();
    await generating;
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Sending', isTest: true }, { state: 'Sending' }]);
    await t.app.control.pool.query(`drop function ${schema}.stand() cascade`);
  });
});
