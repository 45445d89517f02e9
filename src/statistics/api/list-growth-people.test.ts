import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markRefused } from '../../activity/mark-refused.ts';
import { recordReport } from '../../bounces/record-report.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeJob } from '../../testing/make-sent.ts';
import { storeUnsubscription, undoUnsubscription } from '../../tracking/store-records.ts';
import type { GrowthDay } from '../growth.ts';

interface Page {
  readonly nbCounted: number;
  readonly nbListed: number;
  readonly people: readonly { idSubscriber: number; email: string | null; date: string }[];
  readonly next: string | null;
}

describe('listGrowthPeople', () => {
  let t: TestApp;
  let today: string;
  beforeAll(async () => {
    t = await testApp();
    // Growth is counted on the day on which it is recorded.
    t.clock.set(new Date());
    today = t.clock.now().toISOString();
  });
  afterAll(() => t.close());

  const get = (query: Record<string, string | number>) =>
    t.call('GET', '/statistics/growth/people', {
      query: { startDate: today, endDate: today, ...query },
      as: 'reader',
    });
  const read = async (query: Record<string, string | number>) => (await get(query)).data as Page;
  /** Who is listed, over pages of this length. */
  const listed = async (query: Record<string, string | number>, limit = 100) => {
    const ids: number[] = [];
    for (let page = await read({ ...query, limit }); ; ) {
      expect(page.people.length).toBeLessThanOrEqual(limit);
      ids.push(...page.people.map(({ idSubscriber }) => idSubscriber));
      if (page.next === null) return { ids, nbListed: page.nbListed, nbCounted: page.nbCounted };
      page = await read({ ...query, limit, before: page.next });
    }
  };
  const all = (ids: readonly (number | undefined)[], nbCounted = ids.length) => ({
    ...{ ids, nbListed: ids.length, nbCounted },
  });

  it('200 with those whom the figures count, the newest first, over any pages', async () => {
    const emails = Array.from({ length: 9 }, (_, i) => `grown${i}@example.org`);
    const created = await t.call('POST', '/subscribers', {
      body: emails.map((value) => ({ fields: [{ idField: 1, value }] })),
    });
    expect(created.status).toBe(200);
    const people = await t.db.values<number>(sql`select fld0 from ${t.db.t.subscriber} order by fld0`);
    const [a, b, c, d, e, f, g] = people as [number, number, number, number, number, number, number];
    const { idsSent } = await makeJob(t.db, { sents: 2 });
    const [idSent, idOther] = idsSent as [number, number];
    let minute = 0;
    const later = () => new Date(t.clock.now().getTime() + ++minute);
    const leaves = (idSubscriber: number, origin: 'page' | 'oneClick', from = idSent) =>
      storeUnsubscription(t.db, { idSent: from, idSubscriber, at: later(), origin });
    await leaves(a, 'page');
    await leaves(b, 'page', idOther);
    await leaves(c, 'oneClick');
    await leaves(d, 'page');
    expect(await undoUnsubscription(t.db, { idSent, idSubscriber: d, at: later() })).toBe(true);
    for (const [idSubscriber, kind] of [[e, 'dsn'] as const, [f, 'complaint'] as const])
      await recordReport(
        t.app,
        {
          ...{ kind, action: 'failed', status: '5.1.1', diagnostic: 'no such user', isServerReply: true },
          ...{ subject: '', messageId: '<1@mx.test>' },
        } as Parameters<typeof recordReport>[1],
        { idSite: t.db.site.id, idSent, idSubscriber },
        later(),
      );
    t.clock.set(later());
    const unsubscribed = await t.call('POST', '/subscribers/unsubscribe', { body: [{ idSubscriber: g }] });
    expect(unsubscribed.status).toBe(200);
    // The one who came back has joined twice, and left once more than can be listed.
    for (const limit of [1, 2, 100])
      expect(await listed({ figure: 'nbJoined' }, limit)).toEqual(all([...people].reverse(), 10));
    for (const limit of [1, 4, 100]) {
      const { ids, ...counts } = await listed({ figure: 'nbLeft' }, limit);
      expect(ids.toSorted((x, y) => x - y)).toEqual([a, b, c, e, f, g]);
      expect(counts).toEqual({ nbListed: 6, nbCounted: 7 });
    }
    const left = { figure: 'nbLeft' };
    expect(await listed({ ...left, cause: 'Page' })).toEqual(all([b, a], 3));
    expect(await listed({ ...left, cause: 'Page', idSent: idOther })).toEqual(all([b]));
    expect(await listed({ ...left, cause: 'OneClick', idSent })).toEqual(all([c]));
    expect(await listed({ ...left, cause: 'Bounce', idSent })).toEqual(all([e]));
    expect(await listed({ ...left, cause: 'Bounce', idSent: idOther })).toEqual(all([]));
    expect(await listed({ ...left, cause: 'Complaint' })).toEqual(all([f]));
    // One unsubscription was undone.
    expect(await listed({ ...left, idSent })).toEqual(all([f, e, c, a], 5));
    expect((await read({ ...left, cause: 'OneClick' })).people).toEqual([
      { idSubscriber: c, email: 'grown2@example.org', date: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    const [day] = (await t.call('GET', '/statistics/growth', { query: { nbDays: 1 } })).data as GrowthDay[];
    expect(day).toMatchObject({ nbJoined: 10, nbLeft: 7 });
    expect(day!.causes.find(({ cause }) => cause === 'OneClick')).toMatchObject({ idSent, nbLeft: 1 });
  });

  it('200 with those who left by a sending: refused at once or reported later, by the first one alone', async () => {
    const [idSent, idLater] = (await makeJob(t.db, { sents: 2 })).idsSent as [number, number];
    await t.call('POST', '/subscribers', {
      body: ['refused', 'both'].map((name) => ({ fields: [{ idField: 1, value: `${name}@example.org` }] })),
    });
    const [refused, both] = (await t.db.values<number>(sql`
      select fld0 from ${t.db.t.subscriber} where fld1 in ('refused@example.org', 'both@example.org')
      order by fld0`)) as [number, number];
    const bounce = (idOf: number, person: number, ms: number) =>
      t.db.run(sql`
        insert into ${t.db.t.bounce} (id_sent, id_subscriber, class, at, digest, is_refusal, is_applied)
        values (${idOf}, ${person}, 1, ${new Date(t.clock.now().getTime() + ms)}, ${`${idOf} ${person}`}, true,
          false)`);
    await bounce(idSent, refused, 1);
    await bounce(idSent, both, 1);
    await bounce(idLater, both, 2);
    await markRefused.run(t.app, { idSite: t.db.site.id }, new AbortController().signal);
    const of = (idOf: number) => listed({ figure: 'nbLeft', cause: 'Bounce', idSent: idOf });
    expect(await of(idSent)).toEqual(all([both, refused]));
    expect(await of(idLater)).toEqual(all([]));
  });

  it('200 with fewer than are counted when people are deleted, and more when a program wrote the date', async () => {
    const before = await read({ figure: 'nbJoined' });
    const [one, two] = before.people.map(({ idSubscriber }) => idSubscriber) as [number, number];
    await t.call('DELETE', '/subscribers', { body: [one] });
    expect(await read({ figure: 'nbJoined' })).toMatchObject({
      ...{ nbCounted: before.nbCounted, nbListed: before.nbListed - 1 },
    });
    const elsewhere = { startDate: '2020-01-01T10:00:00Z', endDate: '2020-01-01T12:00:00Z' };
    await t.db.run(sql`
      update ${t.db.t.subscriber} set fld2 = '2020-01-01T00:00:00+01:00', fld3 = '2020-01-01T23:59:59.999+01:00'
      where fld0 = ${two}`);
    expect(await listed({ figure: 'nbJoined', ...elsewhere })).toEqual(all([two], 0));
    // Created unsubscribed, so they never left.
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld2, fld3, fld4, fld7)
      select 'never@example.org', at, at, at, 1 from (select '2020-01-01T11:00:00Z'::timestamptz as at) d`);
    for (const figure of ['nbJoined', 'nbLeft'])
      expect((await listed({ figure, ...elsewhere })).ids).toEqual(figure === 'nbJoined' ? [two] : []);
    // The day before and the day after, in Paris.
    for (const date of ['2019-12-31T22:59:59Z', '2020-01-01T23:00:00Z'])
      expect((await listed({ figure: 'nbJoined', startDate: date, endDate: date })).ids).toEqual([]);
  });

  it('200 keeps microseconds apart', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld2)
      select 'fine' || n || '@example.org', '2021-01-01T12:00:00Z'::timestamptz + n * interval '1 microsecond'
      from generate_series(1, 5) n`);
    const period = { startDate: '2021-01-01T12:00:00Z', endDate: '2021-01-01T12:00:00Z' };
    const { ids } = await listed({ figure: 'nbJoined', ...period }, 2);
    expect(ids).toEqual(ids.toSorted((x, y) => y - x));
    expect(ids).toHaveLength(5);
    expect(await listed({ figure: 'nbJoined', ...period, search: 'FINE3@' })).toMatchObject({
      ids: [ids[2]],
      nbListed: 1,
    });
    expect((await listed({ figure: 'nbJoined', ...period, search: 'fine' }, 2)).ids).toEqual(ids);
  });

  it('404 for an unknown sending', async () => {
    expect(await get({ figure: 'nbLeft', cause: 'Page', idSent: 99_999 })).toMatchObject({
      status: 404,
      error: 'idSent: Sending not found',
    });
  });

  it('400 for a period that ends before it begins, a cause of joining, and what is no cursor', async () => {
    const [idSent] = (await makeJob(t.db)).idsSent as [number];
    const wrong: readonly [Record<string, string | number>, string][] = [
      [{ endDate: '2020-01-01T10:00:00Z' }, 'endDate: must not be before startDate'],
      [{ figure: 'nbJoined', cause: 'Page' }, 'cause, idSent: allowed only if figure is nbLeft'],
      [{ figure: 'nbJoined', idSent }, 'cause, idSent: allowed only if figure is nbLeft'],
      [{ endDate: '9999-12-31T23:30:00Z' }, 'endDate: must be in the years 1 to 9999'],
      ...[
        ...['x', '2026-11-01T00:00:00Z_1', '2026-13-01T00:00:00.000000Z_1', '2026-02-30T00:00:00.000000Z_1'],
        ...['0000-01-01T00:00:00.000000Z_1', '2026-11-01T00:00:00.000000Z_9999999999'],
      ].map((before): [Record<string, string>, string] => [
        { before },
        'before: must be the `next` of the previous page',
      ]),
    ];
    for (const [query, error] of wrong)
      expect(await get({ figure: 'nbLeft', ...query })).toMatchObject({ status: 400, error });
    expect((await get({ figure: 'nbUnsubs' })).status).toBe(400);
  });
});
