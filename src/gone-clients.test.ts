import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from './testing/app.ts';
import {
  addBurning,
  burningExpression,
  burningOf,
  targetByExpression,
  untilBurning,
} from './testing/burning-filter.ts';
import { makeCampaign, makeSegment, makeSubscribers } from './testing/campaign-makers.ts';
import { until } from './testing/until.ts';

/** A client that disconnects while its SQL filter is evaluated leaves nothing behind that others would wait for. */
let t: TestApp;
let address: string;
let burning: number;
let quick: number;
let idCampaign: number;
beforeAll(async () => {
  t = await testApp();
  await makeSubscribers(t.db, [1, 2]);
  await addBurning(t.db);
  burning = await targetByExpression(t.db, burningExpression);
  quick = await targetByExpression(t.db, 'fld0 <= 2');
  idCampaign = await makeCampaign(t.db);
  await makeSegment(t.db, idCampaign, { idTarget: burning });
  address = await t.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => t.close());

const paths = {
  countTarget: () => `/targets/${burning}/count`,
  getTargetSubscriberIds: () => `/targets/${burning}/subscriber-ids`,
  getTargetSubscribers: () =>
    `/targets/${burning}/subscribers?property=fld1&direction=ASC&start=0&page=1&limit=10`,
  countSegments: () => `/campaigns/${idCampaign}/segments/count`,
  countSegment: () => `/campaigns/${idCampaign}/segments/1/count`,
  listSegmentPeople: () => `/campaigns/${idCampaign}/segments/1/people`,
};
const ask = (path: string, signal: AbortSignal) =>
  fetch(`${address}/v1/demo${path}`, { headers: { authorization: t.token('sender') }, signal });

test.each(Object.entries(paths))('%s ends with its client, and the next count is served', async (_, path) => {
  const client = new AbortController();
  // As many as the site may have at once.
  const asked = [ask(path(), client.signal), ask(path(), client.signal)];
  await untilBurning(t, 2);
  client.abort();
  for (const one of asked) await expect(one).rejects.toThrow();
  await untilBurning(t, 0);
  expect(await t.call('GET', `/targets/${quick}/count`)).toMatchObject({ status: 200, data: 2 });
});

test('those who wait for their turn leave the line, and others are aborted by none of it', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const stays = ask(paths.countTarget(), first.signal);
  await untilBurning(t, 1);
  const [pid] = await burningOf(t);
  // One is evaluated, the others wait: as many as may, and one is refused immediately.
  const going = Array.from({ length: 32 }, () => ask(paths.countTarget(), second.signal));
  expect((await Promise.any(going)).status).toBe(429);
  await untilBurning(t, 2);
  second.abort();
  await Promise.allSettled(going);
  const isAlone = async () => (await burningOf(t)).every((one) => one === pid);
  await until(isAlone, 'the others to be ended');
  expect(await t.call('GET', `/targets/${quick}/count`)).toMatchObject({ status: 200, data: 2 });
  expect(await burningOf(t)).toContain(pid);
  first.abort();
  await expect(stays).rejects.toThrow();
  await untilBurning(t, 0);
});
