import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { listSegments } from '../../campaigns/segment-store.ts';
import { messageIdOf } from '../../mail/render-message.ts';
import { sql } from '../../platform/db/sql.ts';
import { openLog } from '../../platform/log.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  makeCampaign,
  makeConfiguration,
  makeSegment,
  makeSubscribers,
  makeTarget,
} from '../../testing/campaign-makers.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { startJob } from '../control-jobs.ts';
import type { FrozenJob } from '../frozen-job.ts';
import { findJob, moveJob } from '../job-store.ts';
import { generateJob } from './generate-job.ts';

let test: TestApp;
const said: Record<string, unknown>[] = [];
beforeAll(async () => {
  test = await testApp({
    log: openLog('info', { write: (line: string) => void said.push(JSON.parse(line)) }),
  });
  await makeSubscribers(
    test.db,
    Array.from({ length: 2_600 }, (_, index) => index + 1),
  );
});
afterAll(() => test.close());

const signal = new AbortController().signal;
const generate = (idJob: number) => generateJob.run(test.app, { idSite: test.db.site.id, idJob }, signal);

/** Generates a job while a table is missing, which no check foresees. */
async function generateWithDefect(idJob: number): Promise<void> {
  await test.db.run(sql`alter table ${test.db.t.recipient_range} rename to mislaid`);
  await generate(idJob);
  await test.db.run(sql`alter table ${test.db.name('mislaid')} rename to recipient_range`);
}

/** Returns when the queued attempts of a job's generation are due. */
async function attemptsOf(idJob: number): Promise<Date[]> {
  const queued = await test.app.control.rows<{ at: Date }>(sql`
    select run_at as at from graphile_worker._private_jobs
    where key = ${`generate ${test.db.site.id} ${idJob}`}`);
  return queued.map(({ at }) => at);
}

async function startOf(
  idCampaign: number,
  options: { isTest?: boolean; idSegment?: number; scheduledAt?: Date } = {},
): Promise<number> {
  const { isTest = false, scheduledAt = test.clock.now(), ...rest } = options;
  return test.db.transaction(async (tx) => {
    const campaign = await getCampaign(tx, idCampaign);
    if (!isTest)
      await tx.run(sql`update ${tx.t.campaign} set schedule_state = 'Programmed' where id = ${idCampaign}`);
    return startJob(tx, { campaign, isTest, scheduledAt, author: 'Ada', ...rest }, test.clock.now());
  });
}

async function ranges(idJob: number) {
  return test.db.rows<{ position: number; subscribers: number[] }>(sql`
    select s.position, r.subscribers from ${test.db.t.recipient_range} r join ${test.db.t.sent} s on s.id = r.id_sent
    where r.id_job = ${idJob} order by r.number`);
}

async function frozenOf(idJob: number): Promise<FrozenJob> {
  return (
    await test.db.one<{ frozen: FrozenJob }>(sql`select frozen from ${test.db.t.job} where id = ${idJob}`)
  ).frozen;
}

const stateOf = async (idCampaign: number) => (await getCampaign(test.db, idCampaign)).scheduleState;
const offered = async (idJob: number) =>
  (await test.app.control.rows(sql`select 1 from facteur.sending_job where id_job = ${idJob}`)).length;

describe('generateJob', () => {
  it('freezes each subscriber once, in segment order, in ranges of 1,000 at most', async () => {
    const idCampaign = await makeCampaign(test.db);
    const few = await makeTarget(test.db, { ids: [5, 6, 7], name: 'Few' });
    const all = await makeTarget(test.db, { name: 'Everybody' });
    await makeSegment(test.db, idCampaign, { idTarget: few, name: 'First', mailObject: 'For you' });
    await makeSegment(test.db, idCampaign, { idTarget: all, name: 'Rest' });
    const out = await makeTarget(test.db, { ids: [1, 6], name: 'Out' });
    await makeSegment(test.db, idCampaign, { idTarget: out, isExcluded: true });
    await test.db.run(sql`update ${test.db.t.subscriber} set fld7 = 1 where fld0 = 10`);
    await test.db.run(sql`update ${test.db.t.subscriber} set fld44 = 2 where fld0 = 11`);
    const idJob = await startOf(idCampaign);
    await generate(idJob);
    const found = await ranges(idJob);
    expect(found.map((range) => [range.position, range.subscribers.length])).toEqual([
      [1, 2],
      [2, 1000],
      [2, 1000],
      [2, 594],
    ]);
    expect(found[0]?.subscribers).toEqual([5, 7]);
    const told = { msg: 'a job is generated', site: 'demo', idCampaign, isTest: false, recipients: 2_596 };
    expect(said.filter((line) => line.idJob === idJob)).toMatchObject([told]);
    const everybody = found.flatMap((range) => range.subscribers);
    expect(new Set(everybody).size).toBe(2_596);
    for (const id of [1, 6, 10, 11]) expect(everybody).not.toContain(id);
    expect(await findJob(test.db, idJob)).toMatchObject({
      state: 'Sending',
      isFrozen: true,
      startedAt: test.clock.now(),
    });
    expect(await stateOf(idCampaign)).toBe('InProgress');
    expect(await offered(idJob)).toBe(1);
    const sents = await test.db.rows(sql`
      select position, filter_name as "filterName", nb_address_to_send as count
      from ${test.db.t.sent} where id_job = ${idJob} order by position`);
    expect(sents).toEqual([
      { position: 1, filterName: 'Few', count: 2 },
      { position: 2, filterName: 'Everybody', count: 2_594 },
    ]);
    const counts = (await listSegments(test.db, idCampaign)).map((segment) => segment.lastCount);
    expect(counts).toEqual([2, 2_594, null]);
    const frozen = await frozenOf(idJob);
    expect(frozen.sents.map((sent) => sent.subject)).toEqual(['For you', 'It is here']);
    expect(frozen.source.from.email).toBe('news@example.com');
    // A second run, after a crash or by two workers, changes nothing.
    await generate(idJob);
    expect(await ranges(idJob)).toEqual(found);
  });

  it('freezes a random part of the Message-IDs for each job, and a text part made from an HTML', async () => {
    const htmlContent = '<p>Dear [[FLD.1]],</p><p><a href="https://a.fr/shop">Shop</a></p>';
    const idCampaign = await makeCampaign(test.db, { htmlContent });
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db, { ids: [1] }) });
    const first = await startOf(idCampaign, { isTest: false });
    await generate(first);
    const { source } = await frozenOf(first);
    expect(source.text).toBe('Dear [[FLD.1]],\n\nShop <https://a.fr/shop>\n\nUnsubscribe <[[LINK.UNSUB]]>');
    expect(source.messageIdRandom).toMatch(/^[0-9a-f]{16}$/);
    await moveJob(test.db, first, 'Finished');
    const second = await startOf(idCampaign);
    await generate(second);
    expect((await frozenOf(second)).source.messageIdRandom).not.toBe(source.messageIdRandom);
    const own = { idSubscriber: 7 };
    const sent = { ...source, conf: (await frozenOf(first)).sents[0]!.conf };
    const id = messageIdOf(sent, own);
    expect(id).toBe(`demo.${sent.conf.idSent}.7.${source.messageIdRandom}@${source.messageIdDomain}`);
    const { messageIdRandom: _, ...older } = sent;
    expect(messageIdOf(older, own)).toBe(`demo.${sent.conf.idSent}.7@${source.messageIdDomain}`);
  });

  it('keeps a text that the campaign has', async () => {
    const parameters = { name: 'Own', subject: 'Own', hasTextMessage: true };
    const idCampaign = await makeCampaign(test.db, { parameters, textContent: 'My own text' });
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db, { ids: [1] }) });
    const idJob = await startOf(idCampaign);
    await generate(idJob);
    expect((await frozenOf(idJob)).source.text).toContain('My own text');
  });

  it('freezes the tracked links of its messages, not those of earlier contents', async () => {
    const idCampaign = await makeCampaign(test.db);
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db) });
    for (const word of ['before', 'now']) {
      const htmlContent =
        `<a href="https://a.fr/${word}">a</a><a href="https://a.fr/both">b</a>` +
        `<a href="[[LINK.UNSUB]]">c</a>`;
      const body = { id: idCampaign, parameters: {}, htmlContent };
      const changed = await test.call('PUT', '/campaigns', { query: { trackAllLinks: true }, body });
      expect(changed).toMatchObject({ status: 200, data: true });
    }
    const idJob = await startOf(idCampaign);
    await generate(idJob);
    const { links } = (await frozenOf(idJob)).source;
    expect(links.map(({ url }) => url)).toEqual(['https://a.fr/both', 'https://a.fr/now']);
  });

  it('freezes every stored link of its messages: of template, header, footer, text and advertisements', async () => {
    const link = (word: string) => `<a href="https://a.fr/${word}?a=1&amp;b=[[FLD.1]]">${word}</a>`;
    const idConfiguration = await makeConfiguration(
      test.db,
      `${link('footer')}${link('both')}<a href="[[LINK.UNSUB]]">c</a>`,
    );
    await test.db.run(sql`
      update ${test.db.t.sending_configuration} set header_html = ${`${link('header')}[[ENCART.2]]`},
        header_txt = 'See https://a.fr/text-header.' where id = ${idConfiguration}`);
    const idCampDynamic = await makeCampaign(test.db, {
      htmlContent: `${link('template')}[[ENCART.1]]${link('both')}<area href="https://a.fr/area">`,
      parameters: { name: 'Frame', subject: '', mode: 'Dynamic' },
    });
    const idCampaign = await makeCampaign(test.db, {
      idCampDynamic,
      htmlContent: '',
      textContent: 'Here: https://a.fr/text, https://a.fr/both.',
      parameters: { name: 'Spring', subject: 'It is here', idConfiguration, hasTextMessage: true },
    });
    const idTarget = await makeTarget(test.db);
    for (const percent of [50, 100]) await makeSegment(test.db, idCampaign, { idTarget, percent });
    const ad = await makeAd(test.db, link('ad') + link('both'));
    const everywhere = { body: { position: 0, idAdvertisement: ad } };
    const assigned = await test.call('PUT', `/campaigns/${idCampaign}/segments/0/advertisement`, everywhere);
    expect(assigned).toMatchObject({ status: 200, data: true });
    const stored = await test.call('POST', '/campaigns/tracked-links', { body: idCampaign });
    expect(stored).toMatchObject({ status: 200 });
    const idJob = await startOf(idCampaign);
    await generate(idJob);
    const { source, sents } = await frozenOf(idJob);
    const frozen = [...source.links, ...sents.flatMap(({ content }) => content?.links ?? [])];
    const ids = (stored.data as { id: number }[]).map(({ id }) => id);
    expect(frozen.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b));
    expect(ids).toHaveLength(16);
    expect(await findJob(test.db, idJob)).toMatchObject({ state: 'Sending', errorInfo: null });
  });

  it.each([{ mode: 'External' }, { mode: 'Dynamic' }])(
    'ends in Error a campaign that became $mode while it waited, and writes to nobody',
    async (parameters) => {
      const idCampaign = await makeCampaign(test.db);
      await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db) });
      const idJob = await startOf(idCampaign);
      const changed = await test.call('PUT', '/campaigns', { body: { id: idCampaign, parameters } });
      expect(changed).toMatchObject({ status: 200, data: true });
      await generate(idJob);
      expect(await findJob(test.db, idJob)).toMatchObject({
        state: 'Error',
        isFrozen: false,
        errorInfo: `A campaign of mode ${parameters.mode} cannot be sent to its segments`,
      });
      expect(await stateOf(idCampaign)).toBe('Error');
      expect([await ranges(idJob), await offered(idJob)]).toEqual([[], 0]);
    },
  );

  it('ends a job without an audience at once', async () => {
    const idCampaign = await makeCampaign(test.db);
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db, { ids: [999_999] }) });
    const idJob = await startOf(idCampaign);
    await generate(idJob);
    expect(await findJob(test.db, idJob)).toMatchObject({ state: 'Finished', endedAt: test.clock.now() });
    expect(await stateOf(idCampaign)).toBe('Finished');
    expect(await offered(idJob)).toBe(0);
  });

  it('does not automatically send a job that is more than an hour late', async () => {
    const idCampaign = await makeCampaign(test.db);
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db) });
    const hour = 3_600_000;
    const late = await startOf(idCampaign, { scheduledAt: new Date(test.clock.now().getTime() - hour - 1) });
    await generate(late);
    const job = await findJob(test.db, late);
    expect(job).toMatchObject({ state: 'Error', isFrozen: false });
    expect(job?.errorInfo).toMatch(/^Missed/);
    expect(await stateOf(idCampaign)).toBe('Missed');
    const inTime = await startOf(idCampaign, { scheduledAt: new Date(test.clock.now().getTime() - hour) });
    await generate(inTime);
    expect(await findJob(test.db, inTime)).toMatchObject({ state: 'Sending' });
  });

  it('says why a campaign that is no longer ready is not sent', async () => {
    const idCampaign = await makeCampaign(test.db, { htmlContent: '<p>[[FLD.999]]</p>' });
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db) });
    const idJob = await startOf(idCampaign);
    await generate(idJob);
    const job = await findJob(test.db, idJob);
    expect(job?.state).toBe('Error');
    expect(job?.errorInfo).toContain('[[FLD.999]]');
    expect(await stateOf(idCampaign)).toBe('Error');
    expect(await ranges(idJob)).toEqual([]);
  });

  it('says that a defect keeps it from being generated, until a later try succeeds', async () => {
    const idCampaign = await makeCampaign(test.db);
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db, { ids: [5, 6] }) });
    const idJob = await startOf(idCampaign);
    await generateWithDefect(idJob);
    expect(await findJob(test.db, idJob)).toMatchObject({
      state: 'Programmed',
      startedAt: null,
      errorInfo: 'It could not be generated; the generation is retried',
    });
    expect(await stateOf(idCampaign)).toBe('Programmed');
    const inTenSeconds = new Date(test.clock.now().getTime() + 10_000);
    expect(await attemptsOf(idJob)).toEqual([inTenSeconds]);
    await generate(idJob);
    expect(await findJob(test.db, idJob)).toMatchObject({ state: 'Sending', errorInfo: null });
  });

  it('is given up when a defect lasts for an hour', async () => {
    const idCampaign = await makeCampaign(test.db);
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db, { ids: [5, 6] }) });
    const scheduledAt = new Date(test.clock.now().getTime() - 3_600_000);
    const idJob = await startOf(idCampaign, { scheduledAt });
    await generateWithDefect(idJob);
    expect(await findJob(test.db, idJob)).toMatchObject({
      state: 'Error',
      errorInfo: 'The generation failed for an hour and is given up: the service met an unexpected error',
    });
    // The task that has just run: this test calls it itself.
    expect(await attemptsOf(idJob)).toEqual([scheduledAt]);
  });

  it('leaves a job alone that was stopped or paused before its time', async () => {
    for (const state of ['Stopped', 'Paused'] as const) {
      const idCampaign = await makeCampaign(test.db);
      await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db) });
      const idJob = await startOf(idCampaign);
      await moveJob(test.db, idJob, state);
      await generate(idJob);
      expect(await findJob(test.db, idJob)).toMatchObject({ state, isFrozen: false });
    }
  });

  it('sends a test mailing of every segment to every test address, with the prefix, beside the campaign', async () => {
    const idTestTarget = await makeTarget(test.db, { ids: [3, 4], isTestTarget: true });
    const idCampaign = await makeCampaign(test.db, {
      parameters: { name: 'Spring', subject: 'It is here', idTestTarget },
    });
    const target = await makeTarget(test.db);
    const first = await makeSegment(test.db, idCampaign, { idTarget: target });
    await makeSegment(test.db, idCampaign, { idTarget: target });
    const whole = await startOf(idCampaign, { isTest: true });
    await generate(whole);
    expect((await ranges(whole)).map((range) => [range.position, range.subscribers])).toEqual([
      [1, [3, 4]],
      [2, [3, 4]],
    ]);
    expect((await frozenOf(whole)).sents[0]?.subject).toBe('[TEST] It is here');
    const one = await startOf(idCampaign, { isTest: true, idSegment: first });
    await generate(one);
    expect((await ranges(one)).map((range) => range.position)).toEqual([1]);
    expect(await stateOf(idCampaign)).toBe('None');
  });

  it('writes to nobody when the test target has become one of readers since the mailing was requested', async () => {
    const idTestTarget = await makeTarget(test.db, { isTestTarget: true });
    const parameters = { name: 'Spring', subject: 'It is here', idTestTarget };
    const idCampaign = await makeCampaign(test.db, { parameters });
    await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db) });
    const idJob = await startOf(idCampaign, { isTest: true });
    const changed = await test.call('PUT', `/targets/${idTestTarget}`, { body: { name: 'Readers' } });
    expect(changed).toMatchObject({ status: 200, data: { parameters: { isTestTarget: false } } });
    await generate(idJob);
    expect(await findJob(test.db, idJob)).toMatchObject({
      state: 'Error',
      errorInfo: `Target ${idTestTarget} is not a test target`,
    });
    expect([await ranges(idJob), await offered(idJob)]).toEqual([[], 0]);
  });

  it('writes to nobody when the test target selects more than 200 since, however few the segments', async () => {
    const idTestTarget = await makeTarget(test.db, { isTestTarget: true, ids: [3] });
    const idCampaign = await makeCampaign(test.db, { parameters: { name: 'Spring', idTestTarget } });
    for (let n = 0; n < 2; n++)
      await makeSegment(test.db, idCampaign, { idTarget: await makeTarget(test.db) });
    const grow = async (last: number) => {
      const filters = [{ idField: 0, operator: 'LessOrEqual', value: String(last) }];
      const filter = {
        idTarget: idTestTarget,
        kind: 'field',
        isEnabled: true,
        definition: { filters },
      } as const;
      await test.db.transaction((tx) => setFilter(tx, filter));
      const idJob = await startOf(idCampaign, { isTest: true });
      await generate(idJob);
      return findJob(test.db, idJob);
    };
    // 10 and 11 may not receive.
    expect(await grow(202)).toMatchObject({ state: 'Sending' });
    const refused = await grow(203);
    expect(refused).toMatchObject({
      state: 'Error',
      errorInfo: 'The test target selects more than 200 subscribers; restrict it to your testers',
    });
    expect([await ranges(refused!.id), await offered(refused!.id)]).toEqual([[], 0]);
  });

  it('does nothing for a missing job or site', async () => {
    await generate(999_999);
    await generateJob.run(test.app, { idSite: 999_999, idJob: 1 }, signal);
  });
});
