import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bounceClasses } from '../activity/bounce.ts';
import { foldActivity } from '../activity/fold-store.ts';
import { hitKinds } from '../activity/hit.ts';
import { hitClasses } from '../activity/hit-class.ts';
import { receiptStates } from '../activity/receipt.ts';
import { recordUnsubscription } from '../activity/unsubscription-store.ts';
import { sql } from '../platform/db/sql.ts';
import { countSends } from '../sending/single-message-store.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSubscribers } from '../testing/campaign-makers.ts';
import { makeBounce, makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../testing/make-sent.ts';
import { peopleBehind } from './people.ts';
import type { OfProvider } from './replies.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
  await makeSubscribers(t.db, [1, 2, 3, 4, 5, 6, 7, 8]);
});
afterAll(() => t.close());

type Figures = Readonly<Record<string, number>>;

async function read(path: string, query: Record<string, string | number | boolean>): Promise<Figures[]> {
  const reply = await t.call('GET', path, { query, as: 'reader' });
  expect(reply.status).toBe(200);
  return [reply.data].flat() as Figures[];
}

const sumOf = (all: readonly Figures[], name: string) => all.reduce((sum, one) => sum + one[name]!, 0);

/** The names that providers, jobs and campaigns share; providers call the sum of bounces nbBounces. */
const shared = [
  'nbAddressSent',
  'nbAddressToSend',
  'nbOpeners',
  'nbOpenings',
  'nbHumanOpeners',
  'nbHumanOpenings',
  'nbClickers',
  'nbHumanClickers',
  'nbClicks',
  'nbEditoClickers',
  'nbEditoClicks',
  'nbAdClickers',
  'nbAdClicks',
  'nbMirrorClickers',
  'nbMirrorClicks',
  'nbUnsubClickers',
  'nbUnsubClicks',
  'nbUnsubs',
  'nbHardBounces',
  'nbSoftBounces',
  'nbAutoRespondersBounces',
  'nbDnsErrorsBounces',
  'nbSpamBounces',
  'nbSpamComplaints',
];
/** Names of counters in records of sendings. */
const ofSendings: Readonly<Record<string, string>> = {
  nbEditoClickers: 'nbClickersEdito',
  nbEditoClicks: 'nbClicksEdito',
  nbAdClickers: 'nbClickersPub',
  nbAdClicks: 'nbClicksPub',
  nbMirrorClickers: 'nbClickersMirror',
  nbMirrorClicks: 'nbClicksMirror',
  nbUnsubClickers: 'nbClickersUnsub',
  nbUnsubClicks: 'nbClicksUnsub',
  nbDnsErrorsBounces: 'nbNetworkBounces',
  nbAutoRespondersBounces: 'nbResponseBounces',
};

const place = { job: fc.nat(1), sent: fc.nat(1), idSubscriber: fc.integer({ min: 1, max: 8 }) };
const anyHit = fc.record({
  ...place,
  kind: fc.constantFrom(...Object.values(hitKinds)),
  class: fc.constantFrom(...Object.values(hitClasses)),
  isViral: fc.boolean(),
  isMobile: fc.boolean(),
  idLink: fc.integer({ min: 1, max: 4 }),
  second: fc.nat(20),
});
const anyHistory = fc.record({
  early: fc.array(anyHit, { maxLength: 25 }),
  late: fc.array(anyHit, { maxLength: 25 }),
  bounces: fc.array(fc.record({ ...place, class: fc.constantFrom(...Object.values(bounceClasses)) }), {
    maxLength: 8,
  }),
  unsubscriptions: fc.array(fc.record(place), { maxLength: 4 }),
  isFolded: fc.boolean(),
});

it('providers add up to sendings, sendings to jobs and jobs to the campaign, whatever happened', async () => {
  const rule = fc.asyncProperty(anyHistory, async (history) => {
    const options = { sents: 2, nbAddressToSend: 4 };
    const first = await makeJob(t.db, options);
    const jobs = [first, await makeJob(t.db, { ...options, idCampaign: first.idCampaign })];
    const sentOf = (of: { job: number; sent: number }) => jobs[of.job]!.idsSent[of.sent]!;
    for (const { idJob, idsSent } of jobs)
      for (const idSent of idsSent) {
        await makeReceipts(t.db, idJob, idSent, {
          accepted: [1, 2],
          refused: [3],
          providerOf: (id) => id % 3,
        });
        await makeOpenRange(t.db, idJob, idSent, { subscribers: [4], accepted: [4], at: new Date() });
      }
    const hitsOf = (hits: typeof history.early) =>
      hits.map(({ job, sent, idSubscriber, kind, second, idLink, ...rest }) =>
        makeHit(sentOf({ job, sent }), idSubscriber, kind, {
          ...rest,
          idLink: kind === hitKinds.open ? null : idLink,
          at: new Date(Date.UTC(2026, 10, 20, 9, 0, second)),
        }),
      );
    await makeHits(t.db, hitsOf(history.early));
    if (history.isFolded) await foldActivity(t.db);
    await makeHits(t.db, hitsOf(history.late));
    for (const [index, one] of history.bounces.entries())
      await makeBounce(t.db, sentOf(one), one.idSubscriber, one.class, `${index}`);
    for (const one of history.unsubscriptions)
      await recordUnsubscription(t.db, {
        idSent: sentOf(one),
        idSubscriber: one.idSubscriber,
        at: new Date(),
        origin: 'page',
      });
    await compare(first.idCampaign, jobs);
  });
  await fc.assert(rule, { numRuns: 15 });
});

const anyEnd = fc.record({
  idSubscriber: fc.integer({ min: 1, max: 8 }),
  sent: fc.nat(1),
  state: fc.constantFrom(...Object.values(receiptStates)),
  idProvider: fc.nat(2),
});

it('so do single sends, however often a subscriber gets one', async () => {
  const rule = fc.asyncProperty(
    fc.array(fc.array(anyEnd, { minLength: 1, maxLength: 6 }), { maxLength: 6 }),
    fc.array(fc.record({ ...place, class: fc.constantFrom(...Object.values(bounceClasses)) }), {
      maxLength: 4,
    }),
    async (batches, bounces) => {
      const job = await makeJob(t.db, { sents: 2 });
      for (const [index, idSent] of job.idsSent.entries())
        await t.db.run(sql`
          insert into ${t.db.t.recipient_range} (id_job, number, id_sent, subscribers, is_done)
          values (${job.idJob}, ${index}, ${idSent}, '{}', true)`);
      const providerOf = new Map<number, number>();
      for (const batch of batches) {
        const ended = batch.map(({ sent, idProvider, ...one }, id) => {
          // A subscriber's provider does not change from message to message.
          const known = providerOf.get(one.idSubscriber) ?? idProvider;
          providerOf.set(one.idSubscriber, known);
          return { ...one, id, code: 250, idSent: job.idsSent[sent]!, idProvider: known };
        });
        await t.db.transaction((tx) => countSends(tx, ended, new Date()));
      }
      for (const [index, one] of bounces.entries())
        await makeBounce(t.db, job.idsSent[one.sent]!, one.idSubscriber, one.class, `${index}`);
      await compare(job.idCampaign, [job]);
      const all = batches.flat();
      const reached = new Set(
        all
          .filter(({ state }) => state === receiptStates.accepted)
          .map((one) => `${one.sent} ${one.idSubscriber}`),
      );
      for (const one of bounces) reached.add(`${one.sent} ${one.idSubscriber}`);
      const [campaign] = await read('/statistics/campaign', { idCampaign: job.idCampaign });
      expect(campaign!.nbAddressSent).toBe(reached.size);
      const tried = new Set(all.map((one) => `${one.sent} ${one.idSubscriber}`));
      expect(campaign!.nbAddressToSend).toBe(tried.size);
    },
  );
  await fc.assert(rule, { numRuns: 15 });
});

async function compare(
  idCampaign: number,
  jobs: readonly { readonly idJob: number; readonly idsSent: readonly number[] }[],
): Promise<void> {
  const sendings = await read('/statistics/campaign/sendings', { idCampaign, nbDays: 60 });
  const [desktop, mobile] = await Promise.all(
    ['Desktop', 'Mobile'].map((mode) =>
      read('/statistics/campaign/sendings', { idCampaign, nbDays: 60, mode }),
    ),
  );
  const jobRecords = (await read('/statistics/jobs', { 'filters.paginationLines': 200 })).filter(
    (one) => one.idCampaign === idCampaign,
  );
  const [campaign] = await read('/statistics/campaign', { idCampaign });
  for (const name of shared) expect([name, sumOf(jobRecords, name)]).toEqual([name, campaign![name]]);
  for (const { idJob, idsSent } of jobs) {
    const record = jobRecords.find((one) => one.idJob === idJob)!;
    const own = sendings.filter((one) => one.idJob === idJob);
    for (const idSent of idsSent)
      await compareSending(own.find((one) => one.idSent === idSent)!, { idJob, idSent });
    for (const name of ['nbHumanOpeners', 'nbHumanOpenings', 'nbHumanClickers']) {
      const providers = await Promise.all(
        idsSent.map((idSent) => read('/statistics/providers', { idJob, idSent })),
      );
      expect(sumOf(providers.flat(), name)).toBe(record[name]);
    }
    for (const name of shared.filter((one) => own[0]![ofSendings[one] ?? one] !== undefined))
      expect([name, sumOf(own, ofSendings[name] ?? name)]).toEqual([name, record[name]]);
  }
  for (const name of [
    'nbClicks',
    'nbClicksEdito',
    'nbClicksPub',
    'nbClicksMirror',
    'nbClicksUnsub',
    'nbClicksViral',
  ])
    expect(sumOf(desktop!, name) + sumOf(mobile!, name)).toBe(sumOf(sendings, name));
}

async function compareSending(
  sending: Figures,
  of: { readonly idJob: number; readonly idSent: number },
): Promise<void> {
  const providers = await read('/statistics/providers', of);
  expect([sending]).toMatchObject(await read('/statistics/sending', { idSent: of.idSent }));
  for (const name of shared) {
    const shown = sending[ofSendings[name] ?? name];
    // Records of sendings have no human figures.
    if (shown !== undefined) expect([name, sumOf(providers, name)]).toEqual([name, shown]);
  }
  expect(sumOf(providers, 'nbViralClicks')).toBe(sending.nbClicksViral);
  expect(sumOf(providers, 'nbViralClickers')).toBe(sending.nbClickersViral);
  for (const provider of providers) expect(provider.nbDelivered).toBeGreaterThanOrEqual(0);
  await compareLists(of.idSent, providers);
}

/** Figures whose lists are compared, of the sending and of each provider. */
const listed = [
  'nbAddressToSend',
  'nbAddressSent',
  'nbDelivered',
  'nbOpeners',
  'nbHumanOpeners',
  'nbHumanClickers',
  'nbUnsubs',
] as const;

/** Each figure has as many people in its list, which pages of three read once each. */
async function compareLists(idSent: number, providers: readonly Figures[]): Promise<void> {
  const idsOf = async (figure: (typeof listed)[number], provider?: OfProvider) => {
    const ids: number[] = [];
    for (;;) {
      const wanted = { idSent, figure, idLink: 0, provider, after: ids.at(-1) ?? 0, most: 3 };
      const page = await peopleBehind(t.db, wanted);
      ids.push(...page.map(({ idSubscriber }) => idSubscriber));
      if (page.length < 3) return ids;
    }
  };
  for (const figure of listed) {
    const all = await idsOf(figure);
    expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
    expect([figure, all.length]).toEqual([figure, sumOf(providers, figure)]);
    const parts: number[] = [];
    for (const one of providers) {
      const ids = await idsOf(figure, { id: one.idFai!, providers: new Map() });
      expect([figure, one.idFai, ids.length]).toEqual([figure, one.idFai, one[figure]]);
      parts.push(...ids);
    }
    expect(parts.sort((a, b) => a - b)).toEqual(all);
  }
}
