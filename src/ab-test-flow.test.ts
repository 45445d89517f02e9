import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { humanClickersOf } from './activity/counter-store.ts';
import { hitKinds } from './activity/hit.ts';
import { sql } from './platform/db/sql.ts';
import { winnerAfterMs } from './sending/ab-test.ts';
import type { SendingEngine } from './sending/engine/engine.ts';
import { generateJob } from './sending/tasks/generate-job.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from './testing/campaign-makers.ts';
import { abTestNow, makeAbCampaign, makeAbTest } from './testing/make-ab-test.ts';
import { makeHit, makeHits } from './testing/make-activity.ts';
import { makeAd } from './testing/make-advertisement.ts';
import type { MadeJob } from './testing/make-sent.ts';
import { jobsOf } from './testing/sending-campaign.ts';
import { SendingTester } from './testing/sending-tester.ts';
import type { SmtpSink, SunkMessage } from './testing/smtp-sink.ts';
import { browser, type TrackingServer, trackingServer } from './testing/tracking-server.ts';
import { until } from './testing/until.ts';

let t: TestApp;
let sink: SmtpSink;
let sending: SendingTester;
let engine: SendingEngine;
let tracking: TrackingServer;
beforeAll(async () => {
  t = await testApp();
  sending = new SendingTester(t);
  sink = await sending.relay({ keepRaw: true });
  tracking = await trackingServer(t.app);
  engine = sending.engine();
});
afterEach(() => {
  sink.messages.splice(0);
});
afterAll(async () => {
  await sending.end();
  await tracking.close();
  await t.close();
});

const subjectOf = (message: SunkMessage) => /^Subject: (.*?)\r$/m.exec(String(message.raw))?.[1];
const countBySubject = () => {
  const counts: Record<string, number> = {};
  for (const message of sink.messages) {
    const subject = subjectOf(message)!;
    counts[subject] = (counts[subject] ?? 0) + 1;
  }
  return counts;
};
/** The link that a reader follows: a URL of the message's HTML, by its first letter. */
async function follow(
  message: SunkMessage,
  kind: 'o' | 'r' | 'u',
  userAgent: string,
  method = 'GET',
): Promise<void> {
  const { html } = await PostalMime.parse(message.raw!);
  const path = new RegExp(`http://mail\\.test(/${kind}/[^"'\\s]+)`).exec(html!)![1]!;
  await fetch(tracking.url + path, { method, headers: { 'user-agent': userAgent }, redirect: 'manual' });
}
const untilTest = (
  made: MadeJob,
  what: string,
  is: (now: Awaited<ReturnType<typeof abTestNow>>) => boolean,
) => until(async () => is(await abTestNow(t.db, made)), what);
const statisticsOf = async (idCampaign: number) =>
  (await t.call('GET', '/statistics/campaign', { query: { idCampaign } })).data;

describe('an A/B test, from its sending to its end', () => {
  it('counts people over real HTTP, waits, and sends the winner; figures are right all the time', async () => {
    const made = await makeAbTest(t);
    await untilTest(made, 'the variants are sent', (now) => now.dueAt !== null);
    const bySubject = (subject: string) => sink.messages.filter((one) => subjectOf(one) === subject);
    // Mail privacy protection opens the whole first variant.
    for (const message of bySubject('Subject A')) await follow(message, 'o', 'Mozilla/5.0');
    for (const message of bySubject('Subject A').slice(0, 3)) await follow(message, 'o', browser);
    // A scanner that calls itself a browser requests the head of the picture first.
    for (const message of bySubject('Subject A').slice(3, 9))
      for (const method of ['HEAD', 'GET']) await follow(message, 'o', browser, method);
    for (const message of bySubject('Subject B').slice(0, 4)) await follow(message, 'o', browser);
    await tracking.settle();
    const waiting = {
      nbAddressToSend: 180,
      nbAddressSent: 120,
      nbOpeners: 64,
      nbHumanOpeners: 7,
      nbSents: 3,
    };
    expect(await statisticsOf(made.idCampaign)).toMatchObject(waiting);
    const body = { id: made.idCampaign, parameters: { subject: 'Another' } };
    expect((await t.call('PUT', '/campaigns', { body })).status).toBe(409);
    const sendings = () => t.call('GET', `/campaigns/${made.idCampaign}/sendings`);
    expect((await sendings()).data).toMatchObject([
      { nbAddressToSend: 60, nbAddressSent: 60, nbOpeners: 60, informations: 'A/B test: a variant' },
      { nbAddressToSend: 60, nbAddressSent: 60, nbOpeners: 4, startDate: expect.any(String) },
      {
        nbAddressToSend: 60,
        nbAddressSent: 0,
        startDate: null,
        informations: 'A/B test: waits for the winner (chosen at 2026-11-20T14:00:00.000Z)',
      },
    ]);
    expect((await t.call('GET', '/statistics/jobs')).data).toMatchObject([
      {
        idJob: made.idJob,
        jobStateName: 'Sending',
        nbSegments: 3,
        nbAddressToSend: 180,
        nbAddressSent: 120,
        mailObject: 'Subject A',
      },
    ]);
    t.clock.advance(winnerAfterMs);
    await untilTest(made, 'the end', (now) => now.state === 'Finished');
    expect(countBySubject()).toEqual({ 'Subject A': 60, 'Subject B': 120 });
    expect(await statisticsOf(made.idCampaign)).toMatchObject({ ...waiting, nbAddressSent: 180 });
    expect((await sendings()).data).toMatchObject([
      { informations: 'A/B test: 3 human openers of 60 delivered when it was decided' },
      { informations: 'A/B test: 4 human openers of 60 delivered when it was decided; the winner' },
      {
        startDate: '2026-11-20T14:00:00.000Z',
        nbAddressSent: 60,
        informations: 'A/B test: got the subject of segment 2, which won',
      },
    ]);
  });

  it('of contents gives the remainder the advertisements that most people clicked, and says so', async () => {
    const { idCampaign } = await makeAbCampaign(t.db, { type: 'Content' });
    const htmlContent = '<p>Hello [[CONF.6]]</p>[[ENCART.1]]';
    await t.call('PUT', '/campaigns', { body: { id: idCampaign, parameters: {}, htmlContent } });
    const place = async (segment: number, html: string) => {
      const body = { position: 1, idAdvertisement: await makeAd(t.db, html) };
      const path = `/campaigns/${idCampaign}/segments/${segment}/advertisement`;
      expect((await t.call('PUT', path, { body })).error).toBeNull();
    };
    for (const segment of [1, 2, 3]) await place(segment, '<p>Advertisement one</p>');
    const refused = await t.call('POST', '/campaigns/send-now', { body: idCampaign });
    expect(refused.error).toContain('segments 1, 2 have the same advertisements');
    await place(2, '<p>Advertisement two</p>');
    await place(3, '<p>Advertisement three</p>');
    const idJob = await sentNow(idCampaign);
    const [, b, rest] = await idsSentOf(idJob);
    const made = { idCampaign, idJob, idsSent: [] };
    await untilTest(made, 'the variants are sent', (now) => now.dueAt !== null);
    const { ids } = await t.db.one<{ ids: number[] }>(sql`
      select subscribers as ids from ${t.db.t.recipient_range} where id_sent = ${b}`);
    await makeHits(t.db, [makeHit(b!, ids[0]!, hitKinds.advertisement)]);
    t.clock.advance(winnerAfterMs);
    await untilTest(made, 'the end', (now) => now.state === 'Finished');
    const last = sink.messages.filter((one) => subjectOf(one) === 'Subject of the rest');
    expect(last).toHaveLength(60);
    for (const { raw } of last) {
      expect(String(raw)).toContain('Advertisement two');
      expect(String(raw)).toContain('Hello Rest');
      expect(String(raw)).not.toContain('Advertisement three');
    }
    const query = { idCampaign, idJob };
    const listed = await t.call('GET', '/campaigns/job-sendings', { query });
    expect(listed.data).toMatchObject([
      {},
      {
        sent: { informations: 'A/B test: 1 human clickers of 60 delivered when it was decided; the winner' },
      },
      {
        sent: { idSent: rest, informations: 'A/B test: got the advertisements of segment 2, which won' },
        segment: { advertisements: [{ position: 1, html: '<p>Advertisement two</p>' }] },
      },
    ]);
  });

  it('shows testers every variant and the remainder at once', async () => {
    const { idCampaign, ids } = await makeAbCampaign(t.db);
    const idTestTarget = await makeTarget(t.db, { ids: ids.slice(0, 1), isTestTarget: true });
    await t.call('PUT', '/campaigns', { body: { id: idCampaign, parameters: { idTestTarget } } });
    const reply = await t.call('POST', '/campaigns/test-mailing', { body: idCampaign });
    expect([reply.error, reply.status]).toEqual([null, 200]);
    const idJob = (await jobsOf(t.db, idCampaign))[0]!.id;
    await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
    await until(async () => (await jobsOf(t.db, idCampaign))[0]!.state === 'Finished', 'it ends');
    expect(countBySubject()).toEqual({
      '[TEST] Subject A': 1,
      '[TEST] Subject B': 1,
      '[TEST] Subject of the rest': 1,
    });
  });

  it('422 says what is missing', async () => {
    const { idCampaign } = await makeAbCampaign(t.db, {
      segments: [{ mailObject: 'A' }, { mailObject: 'A' }],
    });
    const send = () => t.call('POST', '/campaigns/send-now', { body: idCampaign });
    expect(await send()).toMatchObject({
      status: 422,
      error:
        'The campaign is not ready: the A/B test needs 3 segments that are not excluded (2 variants and the ' +
        'remainder), and has 2',
    });
    await makeSegment(t.db, idCampaign, { idTarget: await makeTarget(t.db) });
    expect((await send()).error).toContain('segments 1, 2 have the same subject');
  });

  it('is not sent with the remainder first, which would get everybody', async () => {
    const segments = [{ percent: 100 }, { percent: 10, mailObject: 'A' }, { percent: 10, mailObject: 'B' }];
    const { idCampaign } = await makeAbCampaign(t.db, { size: 2, segments });
    const error = expect.stringContaining('segment 1 takes 100 percent of a target that is needed behind it');
    const checklist = async () => (await t.call('GET', `/campaigns/${idCampaign}/checklist`)).data;
    expect(await checklist()).toMatchObject({ isCampaignReady: false, problems: [error] });
    expect(await t.call('POST', '/campaigns/send-now', { body: idCampaign })).toMatchObject({
      status: 422,
      error,
    });
    const listed = (await t.call('GET', `/campaigns/${idCampaign}/segments`)).data as { id: number }[];
    const [rest, ...variants] = listed.map(({ id }) => id);
    const body = [...variants, rest];
    expect(await t.call('PUT', `/campaigns/${idCampaign}/segments/order`, { body })).toMatchObject({
      data: true,
    });
    expect(await checklist()).toMatchObject({ isCampaignReady: true, problems: [] });
  });

  it('tells a click of a person from those of machines and of who leaves', async () => {
    const htmlContent = '<p>Hello <a href="https://example.com/">Shop</a></p>';
    const { idCampaign } = await makeAbCampaign(t.db, { size: 2 });
    await t.call('PUT', '/campaigns', { body: { id: idCampaign, parameters: {}, htmlContent } });
    await t.call('POST', '/campaigns/tracked-links', { body: { idCampaign } });
    const idJob = await sentNow(idCampaign);
    await until(() => sink.messages.length === 4, 'the variants are sent');
    const idsSent = await idsSentOf(idJob);
    const [a1, a2, b1, b2] = ['Subject A', 'Subject B'].flatMap((subject) =>
      sink.messages.filter((one) => subjectOf(one) === subject),
    );
    await follow(a1!, 'u', browser);
    await follow(a2!, 'u', browser);
    await follow(b1!, 'o', browser);
    await follow(b2!, 'u', 'curl/8.0');
    await tracking.settle();
    const clickers = () => humanClickersOf(t.db, idsSent);
    expect(await clickers()).toEqual(new Map());
    await t.call('POST', '/campaigns/stop', { body: idCampaign });
  });

  it('splits in order of the segments: the same share each, and what is left for the remainder', async () => {
    const half = { percent: 50 };
    const { idCampaign, ids } = await makeAbCampaign(t.db, {
      size: 700,
      isRandom: true,
      segments: [{ ...half, mailObject: 'A' }, { percent: 25, mailObject: 'B' }, {}],
    });
    const idJob = await sentNow(idCampaign);
    const parts = await partsOf(idJob);
    expect(parts.map((part) => part.length)).toEqual([1_050, 525, 525]);
    expect(parts.flat().sort((a, b) => a - b)).toEqual(ids);
    await t.call('POST', '/campaigns/stop', { body: idCampaign });
  });
});

async function sentNow(idCampaign: number): Promise<number> {
  const reply = await t.call('POST', '/campaigns/send-now', { body: idCampaign });
  expect(reply.error).toBeNull();
  const idJob = (await jobsOf(t.db, idCampaign)).at(-1)!.id;
  await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
  return idJob;
}

async function idsSentOf(idJob: number): Promise<number[]> {
  const rows = await t.db.rows<{ id: number }>(sql`
    select id from ${t.db.t.sent} where id_job = ${idJob} order by position`);
  return rows.map(({ id }) => id);
}

/** The recipients of each sending of a job. */
async function partsOf(idJob: number): Promise<number[][]> {
  const rows = await t.db.rows<{ ids: number[] }>(sql`
    select array(
      select id from ${t.db.t.recipient_range} r, unnest(r.subscribers) id where r.id_sent = s.id) as ids
    from ${t.db.t.sent} s where s.id_job = ${idJob} order by position`);
  return rows.map(({ ids }) => ids);
}

describe('whatever its segments are', () => {
  it('nobody is in two of them, and only the remainder is held', async () => {
    await engine.stop();
    const { ids } = await makeAbCampaign(t.db, { size: 20 });
    const some = fc.subarray([...ids], { minLength: 1 });
    const segment = fc.record({
      ids: some,
      isRandom: fc.boolean(),
      percent: fc.integer({ min: 1, max: 100 }),
      fixedValues: fc.nat(30),
    });
    const plan = fc.record({ parts: fc.array(segment, { minLength: 3, maxLength: 5 }), out: some });
    await fc.assert(
      fc.asyncProperty(plan, async ({ parts, out }) => {
        const nbTests = parts.length - 1;
        const parameters = { mode: 'TestAb', isAbTest: true, abTestType: 'Subject', nbTests } as const;
        const idCampaign = await makeCampaign(t.db, {
          parameters: { name: 'Any', subject: 'Hello', ...parameters },
        });
        await makeSegment(t.db, idCampaign, {
          idTarget: await makeTarget(t.db, { ids: out.slice(0, 5) }),
          isExcluded: true,
        });
        for (const [index, { ids: of, ...cut }] of parts.entries()) {
          const idTarget = await makeTarget(t.db, { ids: of });
          await makeSegment(t.db, idCampaign, { idTarget, mailObject: `S${index}`, ...cut });
        }
        const idJob = await sentNow(idCampaign);
        const found = await partsOf(idJob);
        expect(new Set(found.flat()).size).toBe(found.flat().length);
        for (const id of out.slice(0, 5)) expect(found.flat()).not.toContain(id);
        const held = await t.db.rows<{ position: number }>(sql`
          select distinct s.position from ${t.db.t.recipient_range} r join ${t.db.t.sent} s on s.id = r.id_sent
          where r.id_job = ${idJob} and r.not_before is not null`);
        expect(held).toEqual(found.at(-1)!.length > 0 ? [{ position: parts.length + 1 }] : []);
      }),
      { numRuns: 25 },
    );
  });
});
