import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerOf as providerNamed } from '../../accounts/provider.ts';
import { insertProvider } from '../../accounts/provider-store.ts';
import { bounceClasses } from '../../activity/bounce.ts';
import { hitKinds } from '../../activity/hit.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Person } from '../../subscribers/person.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeBounce, makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeClicks } from '../../testing/make-clicks.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';

type Nine = [number, number, number, number, number, number, number, number, number];

describe('listStatisticsPeople', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const list = (query: Record<string, number | string>) =>
    t.call('GET', '/statistics/people', { query, as: 'reader' });

  it('200 with as many recipients as each figure counts, and who they are', async () => {
    const { idJob, idSent, idLink, idOther, people } = await makeClicks(t);
    const [a, b, c, d] = people;
    await makeBounce(t.db, idSent, c, bounceClasses.hard);
    await makeBounce(t.db, idSent, c, bounceClasses.complaint);
    const ids = async (figure: string, more = {}) =>
      ((await list({ idSent, figure, ...more })).data as Person[]).map(({ idSubscriber }) => idSubscriber);
    expect(await ids('nbOpeners')).toEqual([a, b, c]);
    expect(await ids('nbHumanOpeners')).toEqual([a]);
    expect(await ids('nbClickers')).toEqual([a, b]);
    expect(await ids('nbHumanClickers')).toEqual([a]);
    expect(await ids('nbClickers', { idLink })).toEqual([a, b]);
    expect(await ids('nbClickers', { idLink: idOther })).toEqual([]);
    expect(await ids('nbHardBounces')).toEqual([c]);
    expect(await ids('nbSpamComplaints')).toEqual([c]);
    for (const none of ['nbUnsubs', 'nbSoftBounces', 'nbSpamBounces']) expect(await ids(none)).toEqual([]);
    expect(await ids('nbRefused')).toEqual([d]);
    expect(await ids('nbAddressToSend')).toEqual([a, b, c, d]);
    expect(await ids('nbAddressSent')).toEqual([a, b, c]);
    expect(await ids('nbDelivered')).toEqual([a, b]);
    expect(await ids('nbDelivered', { after: a })).toEqual([b]);
    expect(await ids('nbReturned')).toEqual([c]);
    const [sum] = (await t.call('GET', '/statistics/sending', { query: { idSent } })).data as [object];
    expect(sum).toMatchObject({ nbOpeners: 3, nbClickers: 2, nbHardBounces: 1, nbSpamComplaints: 1 });
    const providers = await t.call('GET', '/statistics/providers', { query: { idJob, idSent } });
    expect(providers.data).toMatchObject([{ nbDelivered: 2 }]);

    const first = (await list({ idSent, figure: 'nbOpeners', limit: 2 })).data as Person[];
    expect(first.map(({ email }) => email?.slice(0, 2))).toEqual(['c1', 'c2']);
    expect(await ids('nbOpeners', { limit: 2, after: first[1]!.idSubscriber })).toEqual([c]);
  });

  it('200 with the delivered and the returned of a sending that still runs, page by page', async () => {
    const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending' });
    const [idSent] = idsSent as [number];
    const people = await t.db.values<number>(sql`
      insert into ${t.db.t.subscriber} (fld1) select ${`d${idJob}-`} || n || '@example.org' from generate_series(1, 9) n
      returning fld0 as id`);
    const [a, b, c, d, e, f, g, h, i] = people as Nine;
    await makeReceipts(t.db, idJob, idSent, { accepted: [a, b, c], refused: [d], uncertain: [e] });
    await makeOpenRange(t.db, idJob, idSent, { subscribers: [f, g, h, i], accepted: [f, g], at: new Date() });
    // Rejected at once, returned later from both kinds of ranges, and a reply that proves an uncertain message.
    await makeBounce(t.db, idSent, d, bounceClasses.hard);
    await makeBounce(t.db, idSent, b, bounceClasses.soft);
    await makeBounce(t.db, idSent, g, bounceClasses.spam);
    await makeBounce(t.db, idSent, e, bounceClasses.autoReply);
    const page = async (figure: string, after: number, limit: number) =>
      ((await list({ idSent, figure, after, limit })).data as Person[]).map(
        ({ idSubscriber }) => idSubscriber,
      );
    expect(await page('nbAddressToSend', 0, 100)).toEqual(people);
    expect(await page('nbAddressToSend', 0, 4)).toEqual([a, b, c, d]);
    expect(await page('nbAddressToSend', d, 4)).toEqual([e, f, g, h]);
    expect(await page('nbAddressToSend', h, 4)).toEqual([i]);
    expect(await page('nbAddressSent', 0, 100)).toEqual([a, b, c, d, e, f, g]);
    expect(await page('nbAddressSent', 0, 3)).toEqual([a, b, c]);
    expect(await page('nbAddressSent', c, 3)).toEqual([d, e, f]);
    expect(await page('nbAddressSent', f, 3)).toEqual([g]);
    expect(await page('nbDelivered', 0, 100)).toEqual([a, c, e, f]);
    expect(await page('nbDelivered', 0, 2)).toEqual([a, c]);
    expect(await page('nbDelivered', c, 2)).toEqual([e, f]);
    expect(await page('nbDelivered', f, 2)).toEqual([]);
    expect(await page('nbReturned', 0, 100)).toEqual([b, g]);
    const [sum] = (await t.call('GET', '/statistics/sending', { query: { idSent } })).data as [object];
    // Three of them came back.
    expect(sum).toMatchObject({ nbAddressSent: 7, nbHardBounces: 1, nbSoftBounces: 1, nbSpamBounces: 1 });
  });

  it('200 with the people of one provider: by their receipts, by their domain until then', async () => {
    const ada = providerNamed({ name: 'Ada Mail', domains: ['ada.example'] });
    const { id: idFai } = await insertProvider(t.app.control, ada);
    const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending' });
    const [idSent] = idsSent as [number];
    const people = await t.db.values<number>(sql`
      insert into ${t.db.t.subscriber} (fld1)
      select ${`p${idJob}-`} || n || case when n % 2 = 0 then '@ada.example' else '@else.example' end
      from generate_series(1, 8) n
      returning fld0 as id`);
    const [a, b, c, d, e, f, g, h] = people as Nine;
    // The provider of a receipt is that of the moment of sending.
    const providerOf = (id: number) => (id === a || id === b ? idFai : 0);
    await makeReceipts(t.db, idJob, idSent, { accepted: [a, b, c], refused: [d], providerOf });
    await makeOpenRange(t.db, idJob, idSent, { subscribers: [e, f, g, h], accepted: [e, f], at: new Date() });
    await makeBounce(t.db, idSent, b, bounceClasses.soft);
    await makeHits(t.db, [
      makeHit(idSent, a, hitKinds.open, { at: new Date() }),
      makeHit(idSent, c, hitKinds.open, { at: new Date() }),
    ]);
    const ids = async (figure: string, of: number, after = 0) =>
      ((await list({ idSent, figure, idFai: of, after })).data as Person[]).map((one) => one.idSubscriber);
    expect(await ids('nbAddressToSend', idFai)).toEqual([a, b, f, h]);
    expect(await ids('nbAddressToSend', idFai, b)).toEqual([f, h]);
    expect(await ids('nbAddressToSend', 0)).toEqual([c, d, e, g]);
    expect(await ids('nbAddressSent', idFai)).toEqual([a, b, f]);
    expect(await ids('nbDelivered', idFai)).toEqual([a, f]);
    expect(await ids('nbDelivered', 0)).toEqual([c, e]);
    expect(await ids('nbOpeners', idFai)).toEqual([a]);
    expect(await ids('nbOpeners', 0)).toEqual([c]);
    expect(await ids('nbHumanOpeners', idFai)).toEqual([a]);
    expect(await ids('nbHumanOpeners', 0)).toEqual([c]);
    const figures = await t.call('GET', '/statistics/providers', { query: { idJob, idSent } });
    expect(figures.data).toMatchObject([
      { idFai: 0, nbAddressToSend: 4, nbAddressSent: 2, nbDelivered: 2, nbOpeners: 1, nbHumanOpeners: 1 },
      { idFai, nbAddressToSend: 4, nbAddressSent: 3, nbDelivered: 2, nbOpeners: 1, nbHumanOpeners: 1 },
    ]);
  });

  it('200 finds people by a part of their address or a text field, page by page', async () => {
    const { idJob, idSent, idLink, people } = await makeClicks(t);
    const [a, b, c, d] = people;
    await makeBounce(t.db, idSent, c, bounceClasses.soft);
    await t.db.run(
      sql`update ${t.db.t.subscriber} set fld5 = 'Zo\u00e9 100%' where fld0 in (${a}, ${c}, ${d})`,
    );
    const ids = async (figure: string, more: Record<string, number | string> = {}) =>
      ((await list({ idSent, figure, search: 'ZO\u00c9 100%', ...more })).data as Person[]).map(
        ({ idSubscriber }) => idSubscriber,
      );
    expect(await ids('nbAddressToSend')).toEqual([a, c, d]);
    expect(await ids('nbAddressToSend', { idFai: 0 })).toEqual([a, c, d]);
    expect(await ids('nbAddressSent')).toEqual([a, c]);
    expect(await ids('nbDelivered')).toEqual([a]);
    expect(await ids('nbOpeners')).toEqual([a, c]);
    expect(await ids('nbClickers', { idLink })).toEqual([a]);
    expect(await ids('nbSoftBounces')).toEqual([c]);
    expect(await ids('nbAddressToSend', { limit: 2 })).toEqual([a, c]);
    expect(await ids('nbAddressToSend', { limit: 2, after: c })).toEqual([d]);
    expect(await ids('nbAddressToSend', { search: 'zoe' })).toEqual([]);
    expect(await ids('nbAddressToSend', { search: '1__%' })).toEqual([]);
    expect(await ids('nbAddressToSend', { search: '@' })).toEqual([a, b, c, d]);
    for (const search of ['', 'x'.repeat(255)])
      expect((await list({ idSent, figure: 'nbOpeners', search })).status).toBe(400);
    await t.call('POST', `/subscribers/${a}/erase`, { as: 'admin' });
    expect(await ids('nbAddressToSend')).toEqual([c, d]);
    // More people with the text than are looked for at once, few of them in the audience.
    const many = await t.db.values<number>(sql`
      insert into ${t.db.t.subscriber} (fld1) select 'many' || n || '@crowd.example' from generate_series(1, 2500) n
      returning fld0 as id`);
    const last = [many[0]!, many[1_200]!, many[2_499]!];
    await makeReceipts(t.db, idJob, idSent, { accepted: last.slice(1), refused: last.slice(0, 1) });
    for (const figure of ['nbAddressToSend', 'nbAddressSent'])
      expect(await ids(figure, { search: 'crowd' })).toEqual(
        figure === 'nbAddressSent' ? last.slice(1) : last,
      );
    expect(await ids('nbAddressToSend', { search: 'crowd', limit: 2 })).toEqual(last.slice(0, 2));
  });

  it('200 finds the last one of a long list for a text that many others have', async () => {
    const { idJob, idsSent } = await makeJob(t.db);
    const [idSent] = idsSent as [number];
    const insert = (name: string, count: number) =>
      t.db.values<number>(sql`
        insert into ${t.db.t.subscriber} (fld1)
        select ${name} || n || '@long.example' from generate_series(1, ${count}::int) n returning fld0 as id`);
    await insert('Common', 1_100);
    const people = await insert('listed', 10_500);
    const [last] = await insert('common-', 1);
    await makeReceipts(t.db, idJob, idSent, { accepted: people, expired: [last!] });
    for (const figure of ['nbAddressToSend', 'nbAddressSent'])
      expect((await list({ idSent, figure, search: 'COMMON' })).data).toEqual(
        figure === 'nbAddressSent' ? [] : [{ idSubscriber: last, email: 'common-1@long.example' }],
      );
  });

  it('200 with those who have no final state yet: of a provider, found by a text, without deferred ones', async () => {
    const bo = providerNamed({ name: 'Bo Mail', domains: ['bo.example'] });
    const { id: idFai } = await insertProvider(t.app.control, bo);
    const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending' });
    const [idSent] = idsSent as [number];
    const people = await t.db.values<number>(sql`
      insert into ${t.db.t.subscriber} (fld1)
      select ${`w${idJob}-`} || n || case when n % 2 = 0 then '@bo.example' else '@else.example' end
      from generate_series(1, 130) n
      returning fld0 as id`);
    await makeReceipts(t.db, idJob, idSent, { accepted: [people[0]!], refused: [people[1]!] });
    // More open ranges than a page reads at once: of each pair, the first one is accepted, the second deferred.
    const from = (n: number) => people.slice(n - 1);
    for (let n = 3; n < 125; n += 2)
      await makeOpenRange(t.db, idJob, idSent, {
        subscribers: from(n).slice(0, 2),
        accepted: from(n).slice(0, 1),
        at: new Date(),
      });
    // Nobody of the last range was tried.
    await makeOpenRange(t.db, idJob, idSent, { subscribers: from(125), accepted: [], at: new Date() });
    await t.db.run(sql`
      delete from ${t.db.t.send_log} l using ${t.db.t.recipient_range} r
      where r.id_job = ${idJob} and l.id_job = r.id_job and l.range_number = r.number
        and cardinality(r.subscribers) > 2`);
    const deferred = people.filter((_, i) => i % 2 === 1 && i > 1 && i < 124);
    const ids = async (figure: string, more: Record<string, number | string> = {}) =>
      ((await list({ idSent, figure, limit: 1_000, ...more })).data as Person[]).map(
        (one) => one.idSubscriber,
      );
    expect(await ids('nbWaiting')).toEqual([...deferred, ...from(125)]);
    expect(await ids('nbUntried')).toEqual(from(125));
    expect(await ids('nbWaiting', { limit: 3, after: deferred[1]! })).toEqual(deferred.slice(2, 5));
    expect(await ids('nbWaiting', { idFai })).toEqual([
      ...deferred,
      ...from(125).filter((_, i) => i % 2 === 1),
    ]);
    expect(await ids('nbWaiting', { idFai: 0 })).toEqual(from(125).filter((_, i) => i % 2 === 0));
    expect(await ids('nbUntried', { idFai })).toEqual(from(125).filter((_, i) => i % 2 === 1));
    expect(await ids('nbWaiting', { search: '-99@' })).toEqual([]);
    expect(await ids('nbWaiting', { search: '-98@' })).toEqual([people[97]]);
    expect(await ids('nbUntried', { search: '-130@BO' })).toEqual([people[129]]);
    const figures = await t.call('GET', '/statistics/providers', { query: { idJob, idSent } });
    expect(figures.data).toMatchObject([
      { idFai: 0, nbWaiting: 3 },
      { idFai, nbWaiting: 64 },
    ]);
    await t.db.run(sql`update ${t.db.t.recipient_range} set is_done = true where id_job = ${idJob}`);
    expect(await ids('nbWaiting')).toEqual([]);
  });

  it('200 with people who were deleted or erased since, without their address', async () => {
    const { idSent, people } = await makeClicks(t);
    const [a, b] = people;
    await t.call('DELETE', '/subscribers', { query: { idSubscribers: [a] } });
    await t.call('POST', `/subscribers/${b}/erase`, { as: 'admin' });
    for (const figure of ['nbAddressToSend', 'nbAddressSent', 'nbDelivered'])
      expect(((await list({ idSent, figure })).data as Person[]).slice(0, 2)).toEqual([
        { idSubscriber: a, email: null },
        { idSubscriber: b, email: null },
      ]);
  });

  it('400 for a link beside other figures, 404 for an unknown sending', async () => {
    expect((await list({ idSent: 1, figure: 'nbUnsubs', idLink: 1 })).error).toBe(
      'idLink: only nbClickers and nbHumanClickers have one; give 0',
    );
    expect((await list({ idSent: 1, figure: 'nbReaders' })).status).toBe(400);
    const wrong: readonly Record<string, string>[] = [
      { figure: 'nbWithReply' },
      { figure: 'nbOpeners', reply: '550' },
    ];
    for (const one of wrong)
      expect((await list({ idSent: 1, ...one })).error).toBe(
        'reply: nbWithReply requires it, and other figures have none',
      );
    expect(await list({ idSent: 99_999, figure: 'nbUnsubs' })).toMatchObject({ status: 404 });
    const { idSent } = await makeClicks(t);
    expect(await list({ idSent, figure: 'nbClickers', idLink: 99_999 })).toMatchObject({
      status: 404,
      error: 'idLink: Tracked link not found',
    });
  });
});
