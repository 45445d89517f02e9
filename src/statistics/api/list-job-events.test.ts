import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { finishJob } from '../../sending/engine/finish.ts';
import { noteRelays } from '../../sending/engine/halt-job.ts';
import { tryMoveJob } from '../../sending/job-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';
import { lastJob, makeReadyCampaign, programmed } from '../../testing/sending-campaign.ts';
import { eventsOfJob, type JobEvent } from '../job-event.ts';

describe('listJobEvents', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ audits: true, config: { sendDelayS: 0 } });
    await makeSubscribers(t.db, [1, 2, 3]);
  });
  afterAll(() => t.close());

  const read = async (idJob: number) => {
    const reply = await t.call('GET', '/statistics/job-events', { query: { idJob }, as: 'reader' });
    expect([reply.status, reply.error, reply.typeName]).toEqual([200, null, 'JobEvent[]']);
    return reply.data as JobEvent[];
  };
  const act = async (action: string, id: number) => {
    t.clock.advance(60_000);
    expect(await t.call('POST', `/campaigns/${action}`, { body: id })).toMatchObject({ status: 200 });
    await t.audit.idle();
  };

  it('200 names who requested, paused, resumed and stopped a sending, newest first', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    t.clock.advance(1_000);
    await generate();
    await act('pause', id);
    await act('send-now', id);
    await act('stop', id);
    const events = await read(idJob);
    expect(events.map(({ kind }) => kind)).toEqual(['stopped', 'resumed', 'paused', 'started', 'requested']);
    const { userName } = events[0]!;
    expect(userName).not.toBe(null);
    expect(events.map((one) => one.userName)).toEqual([userName, userName, userName, null, userName]);
    expect(events[3]).toMatchObject({ nbPeople: 3, code: 0, reason: null });
  });

  it('200 has the reason of a pause by the service, and who resumed', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, generate } = await programmed(t, id);
    await generate();
    const trouble = { areReached: false, trouble: 'no route' };
    t.clock.advance(25 * 3_600_000);
    await noteRelays(t.db, idJob, trouble, t.clock.now());
    const [paused] = await read(idJob);
    expect(paused).toMatchObject({ kind: 'paused', userName: null });
    expect(paused!.reason).toMatch(/^No message could be sent since .* It is paused: resume it/);
    await act('send-now', id);
    const events = await read(idJob);
    const byService = events.find(({ kind }) => kind === 'paused');
    expect(byService).toMatchObject({ userName: null, reason: null });
    await act('stop', id);
  });

  it('200 has the times without a relay, each once', async () => {
    const { idJob } = await makeJob(t.db, { state: 'Sending', nbAddressToSend: 9 });
    const reached = { areReached: true, trouble: undefined };
    const away = { areReached: false, trouble: 'mx.example:25 cannot be reached: no answer' };
    /** What a process notes every ten seconds. */
    const note = async (status: typeof reached | typeof away, times: number) => {
      for (let time = 0; time < times; time++) {
        t.clock.advance(11_000);
        await noteRelays(t.db, idJob, status, t.clock.now());
      }
    };
    await note(reached, 1);
    const since = t.clock.now().toISOString();
    // Too short to be told.
    await note(away, 2);
    expect((await read(idJob)).map(({ kind }) => kind)).toEqual(['started', 'requested']);
    await note(away, 3);
    await note({ ...away, trouble: 'mx.example:25 does not answer' }, 2);
    expect((await read(idJob))[0]).toMatchObject({
      ...{ kind: 'relaysAway', date: since, reason: away.trouble, userName: null },
    });
    await note(reached, 3);
    expect((await read(idJob)).slice(0, 3).map(({ kind }) => kind)).toEqual([
      ...['relaysBack', 'relaysAway', 'started'],
    ]);
    for (let time = 0; time < 25; time++) {
      await note(away, 3);
      await note(reached, 1);
    }
    const kinds = (await read(idJob)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'relaysAway')).toHaveLength(20);
  });

  it('200 has the first reply of each kind after which it went on, and its end', async () => {
    const { idCampaign, idJob, idsSent } = await makeJob(t.db, { state: 'Sending', nbAddressToSend: 9 });
    const at = (minute: number) => new Date(`2026-11-19T09:${String(minute).padStart(2, '0')}:00Z`);
    await makeReceipts(t.db, idJob, idsSent[0]!, {
      ...{ accepted: [1], refused: [2, 3], expired: [4] },
      at: (one) => at(10 + one),
    });
    await makeOpenRange(t.db, idJob, idsSent[0]!, { subscribers: [5, 6, 7], accepted: [5], at: at(30) });
    const events = await read(idJob);
    expect(events).toMatchObject([
      { kind: 'deferred', code: 451, nbPeople: 2, date: at(30).toISOString() },
      { kind: 'expired', code: 451, nbPeople: 1, date: at(14).toISOString() },
      { kind: 'rejected', code: 550, nbPeople: 2, date: at(12).toISOString() },
      { kind: 'started', nbPeople: 9 },
      { kind: 'requested', userName: 'Ada' },
    ]);
    await t.db.run(sql`
      update ${t.db.t.campaign} set schedule_state = 'InProgress' where id = ${idCampaign}`);
    await t.db.run(sql`update ${t.db.t.recipient_range} set is_done = true where id_job = ${idJob}`);
    expect(await finishJob(t.db, idJob, at(40))).toBe(true);
    expect((await read(idJob))[0]).toMatchObject({
      kind: 'finished',
      reason: expect.stringMatching(/^2 refused .*, 1 expired /),
      date: at(40).toISOString(),
    });
  });

  it('200 for a job that failed, without the acts on others of its campaign', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob } = await programmed(t, id);
    const marks = { endedAt: t.clock.now(), errorInfo: 'no segment' };
    await tryMoveJob(t.db, idJob, ['Programmed'], 'Error', marks);
    t.clock.advance(3_600_000);
    await programmed(t, id);
    const { idJob: idNext } = await lastJob(t, id);
    await act('stop', id);
    expect((await read(idNext)).map(({ kind }) => kind)).toEqual(['stopped', 'requested']);
    const kinds = (await read(idJob)).map(({ kind, reason }) => [kind, reason]);
    expect(kinds).toEqual([
      ['failed', 'no segment'],
      ['requested', null],
    ]);
  });

  it('404 for an unknown job, 400 without one', async () => {
    expect(await t.call('GET', '/statistics/job-events', { query: { idJob: 99_999 } })).toMatchObject({
      status: 404,
    });
    expect(await t.call('GET', '/statistics/job-events', {})).toMatchObject({ status: 400 });
  });
});

describe('eventsOfJob', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 26, 9, 0, second));
  const job = {
    ...{ state: 'Sending', author: 'Ada', createdAt: at(0), startedAt: at(30), pausedAt: null },
    ...{ endedAt: null, errorInfo: null, nbPeople: 5, relayOutages: [] },
  };
  const acts = (...all: readonly (readonly [string, number])[]) =>
    all.map(([operation, second]) => ({ operation, at: at(second), userName: 'Malo' }));
  const kindsOf = (...of: Parameters<typeof eventsOfJob>) => eventsOfJob(...of).map(({ kind }) => kind);

  it('takes the first call of a sending for its request, and later ones for resumptions', () => {
    expect(kindsOf(job, acts(['sendCampaignNow', 1]), [])).toEqual(['started', 'requested']);
    const paused = { ...job, pausedAt: at(40) };
    const both = acts(['sendCampaignNow', 1], ['pauseCampaign', 41], ['sendCampaignNow', 50]);
    expect(kindsOf(paused, both, [])).toEqual(['resumed', 'paused', 'started', 'requested']);
    // Before its audience was frozen.
    const early = acts(['sendCampaignNow', 1], ['pauseCampaign', 5], ['sendCampaignNow', 10]);
    expect(kindsOf({ ...job, pausedAt: at(5) }, early, [])).toEqual([
      ...['started', 'resumed', 'paused', 'requested'],
    ]);
  });

  it('shows a pause that the log has lost, once', () => {
    const paused = { ...job, state: 'Paused', pausedAt: at(45) };
    expect(kindsOf(paused, [], [])).toEqual(['paused', 'started', 'requested']);
    expect(kindsOf(paused, acts(['pauseCampaign', 45]), [])).toEqual(['paused', 'started', 'requested']);
  });
});
