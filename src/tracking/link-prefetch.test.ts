import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { offerJob } from '../sending/job-store.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { type MadeJob, makeJob } from '../testing/make-sent.ts';
import { LinkFinder, linksOfOne } from './link-finder.ts';
import { LinkPrefetch } from './link-prefetch.ts';

let test: TestApp;
let links: LinkFinder;
let prefetch: LinkPrefetch | undefined;
const day = 86_400_000;

beforeEach(async () => {
  test = await testApp({ operations: [] });
  links = new LinkFinder(test.app);
});
afterEach(async () => {
  prefetch?.close();
  await test.close();
});

const start = () => {
  prefetch = new LinkPrefetch(test.app, links);
  return prefetch;
};

async function sentDaysAgo(days: number, db: SiteDb = test.db): Promise<MadeJob> {
  return makeJob(db, { startedAt: new Date(test.clock.now().getTime() - days * day) });
}

async function addLinks(db: SiteDb, idCampaign: number, n = 1): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`
    insert into ${db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    select ${idCampaign}::int, url, url, 'campaign', '{}', now()
    from generate_series(1, ${n}::int) i, format('https://shop.example/%s', i) url
    returning id`);
  return rows.map(({ id }) => id);
}

const isKnown = (id: number, db: SiteDb = test.db) =>
  links.fresh(db.site.id, id, test.clock.now().getTime()) !== undefined;

const untilKnown = (id: number, db?: SiteDb) =>
  vi.waitFor(() => expect(isKnown(id, db)).toBe(true), { timeout: 100_000, interval: 20 });

it('reads the links of recent sendings of all sites, and no others', async () => {
  const old = await sentDaysAgo(31);
  const [oldLink] = await addLinks(test.db, old.idCampaign);
  const recent = await sentDaysAgo(29);
  const [recentLink] = await addLinks(test.db, recent.idCampaign);
  const onOther = await sentDaysAgo(1, test.otherDb);
  const [otherLink] = await addLinks(test.otherDb, onOther.idCampaign);
  start();
  // The newest first: when the older one is known, all of the walk is.
  await untilKnown(recentLink!);
  expect(isKnown(otherLink!, test.otherDb)).toBe(true);
  expect(isKnown(oldLink!)).toBe(false);
});

it('reads so many links of a campaign at most', async () => {
  const { idCampaign } = await sentDaysAgo(1);
  const ids = await addLinks(test.db, idCampaign, linksOfOne + 1);
  start();
  await untilKnown(ids.at(-1)!);
  expect(ids.filter((id) => !isKnown(id))).toEqual([ids[0]]);
});

it('notices a job that starts while it runs', async () => {
  const [first] = await addLinks(test.db, (await sentDaysAgo(1)).idCampaign);
  start();
  await untilKnown(first!);
  const job = await sentDaysAgo(0);
  const [link] = await addLinks(test.db, job.idCampaign);
  await test.db.transaction((tx) => offerJob(tx, job.idJob));
  await untilKnown(link!);
});

it('notices an old sending that is opened, and a later job of its campaign', async () => {
  const old = await sentDaysAgo(300);
  const [link] = await addLinks(test.db, old.idCampaign);
  start().saw(test.db.site.id, old.idsSent[0]!);
  await untilKnown(link!);
  const again = await makeJob(test.db, { idCampaign: old.idCampaign, startedAt: test.clock.now() });
  const { id } = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${old.idCampaign}, 'https://new.example/', '', 'campaign', '{}', now()) returning id`);
  prefetch!.saw(test.db.site.id, again.idsSent[0]!);
  await untilKnown(id);
});

it('continues when a site cannot be read', async () => {
  await test.otherDb.run(sql`drop table ${test.otherDb.t.sent} cascade`);
  await test.otherDb.run(sql`drop table ${test.otherDb.t.job} cascade`);
  const { idCampaign, idsSent } = await sentDaysAgo(1);
  const [link] = await addLinks(test.db, idCampaign);
  // Opened on the site that cannot be read, and on one that there is not.
  const started = start();
  started.saw(test.otherDb.site.id, 1);
  started.saw(99_999, 1);
  await untilKnown(link!);
  started.saw(test.db.site.id, idsSent[0]!);
  const old = await sentDaysAgo(90);
  const [oldLink] = await addLinks(test.db, old.idCampaign);
  started.saw(test.db.site.id, old.idsSent[0]!);
  await untilKnown(oldLink!);
});
