import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markRefused } from '../../activity/mark-refused.ts';
import { recordReport } from '../../bounces/record-report.ts';
import type { Report } from '../../bounces/report.ts';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { makeJob } from '../../testing/make-sent.ts';
import { storeUnsubscription, undoUnsubscription } from '../../tracking/store-records.ts';
import type { GrowthDay } from '../growth.ts';

describe('getGrowth', () => {
  let t: TestApp;
  let tester: ImportTester;
  beforeAll(async () => {
    ({ t, tester } = await importApp());
    // Growth is counted on the day on which it is recorded.
    t.clock.set(new Date());
  });
  afterAll(() => t.close());

  const get = (nbDays: number) => t.call('GET', '/statistics/growth', { query: { nbDays }, as: 'reader' });
  const idsByEmail = async (part: string) =>
    t.db.values<number>(
      sql`select fld0 from ${t.db.t.subscriber} where fld1 like ${`${part}%`} order by fld0`,
    );

  it('200 with an empty list where nobody joined or left', async () => {
    expect(await get(30)).toMatchObject({ status: 200, typeName: 'GrowthDay[]', data: [] });
  });

  it('200 with every cause, the names of imports and campaigns, and the two figures as their sums', async () => {
    const log = await tester.import(
      `email;name\n${Array.from({ length: 8 }, (_, i) => `imported${i}@example.org;x`).join('\n')}\n`,
    );
    const created = Array.from({ length: 3 }, (_, i) => ({
      fields: [{ idField: 1, value: `created${i}@example.org` }],
    }));
    expect(await t.call('POST', '/subscribers', { body: created })).toMatchObject({ status: 200 });
    const { idCampaign, idsSent } = await makeJob(t.db, { campaignName: 'Spring' });
    const idSent = idsSent[0]!;
    const people = await idsByEmail('imported');
    const at = t.clock.now();
    await storeUnsubscription(t.db, { idSent, idSubscriber: people[0]!, at, origin: 'page' });
    await storeUnsubscription(t.db, { idSent, idSubscriber: people[1]!, at, origin: 'oneClick' });
    await storeUnsubscription(t.db, { idSent, idSubscriber: people[2]!, at, origin: 'page' });
    expect(await undoUnsubscription(t.db, { idSent, idSubscriber: people[2]!, at })).toBe(true);
    const report = (idSubscriber: number, said: Partial<Report>) =>
      recordReport(
        t.app,
        {
          ...{
            kind: 'dsn',
            action: 'failed',
            status: '5.1.1',
            diagnostic: 'no such user',
            isServerReply: true,
          },
          ...{ subject: '', messageId: '<1@mx.test>' },
          ...said,
        },
        { idSite: t.db.site.id, idSent, idSubscriber },
        at,
      );
    await report(people[3]!, {});
    await report(people[4]!, { kind: 'complaint' } as Partial<Report>);
    await t.db.run(sql`
      insert into ${t.db.t.bounce} (id_sent, id_subscriber, class, at, digest, is_refusal, is_applied)
      values (${idSent}, ${people[5]!}, 1, ${at}, 'refusal', true, false)`);
    await markRefused.run(t.app, { idSite: t.db.site.id }, new AbortController().signal);
    const [one, two] = await idsByEmail('created');
    await t.call('POST', '/subscribers/unsubscribe', { body: [{ idSubscriber: one }] });
    await t.call('DELETE', '/subscribers', { body: [two] });
    await t.call('POST', '/sample-data', { body: {} });
    await t.call('DELETE', '/sample-data');
    const [day, ...others] = (await get(1)).data as GrowthDay[];
    expect(others).toEqual([]);
    const idImport = await t.db.value<number>(sql`select max(id) from ${t.db.t.import}`);
    const none = { idImport: 0, idCampaign: 0, idSent: 0, name: '' };
    const ofCampaign = { idImport: 0, idCampaign, idSent, name: 'Spring' };
    const part = (cause: string, nbJoined: number, nbLeft: number, source: object) => ({
      cause,
      nbJoined,
      nbLeft,
      ...source,
    });
    expect(log.totalInserts).toBe(8);
    const key = ({ cause, idCampaign }: GrowthDay['causes'][number]) => `${cause} ${idCampaign}`;
    expect(day!.causes.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))).toEqual([
      part('Api', 3, 1, none),
      part('Bounce', 0, 2, ofCampaign),
      part('Complaint', 0, 1, ofCampaign),
      part('Deleted', 0, 1, none),
      part('Import', 8, 0, { ...none, idImport, name: 'people.csv' }),
      part('OneClick', 0, 1, ofCampaign),
      part('Page', 0, 2, ofCampaign),
      part('SampleData', 200, 200, none),
      part('Undo', 1, 0, ofCampaign),
    ]);
    expect([day!.nbJoined, day!.nbLeft]).toEqual([212, 208]);
  });

  it('200 counts an import that unsubscribes people, and one that brings them back', async () => {
    await t.db.run(sql`delete from ${t.db.t.growth}`);
    const mapping = {
      keepFld7: false,
      columnMapping: [
        { dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' },
        { dbFieldName: 'fld7', idMappingMode: 1, fileColumnName: 'status' },
      ],
    };
    await tester.import('email;status\nimported6@example.org;1\nimported7@example.org;1\n', mapping);
    await tester.import('email;status\nimported6@example.org;0\nimported7@example.org;1\n', mapping);
    const [day] = (await get(2)).data as GrowthDay[];
    expect(day!.causes).toMatchObject([
      { cause: 'Import', nbJoined: 0, nbLeft: 2 },
      { cause: 'Import', nbJoined: 1, nbLeft: 0 },
    ]);
  });

  it('200 with days in Paris time, the oldest first, of the period only', async () => {
    const { growth } = t.db.t;
    await t.db.run(sql`delete from ${growth}`);
    t.clock.set(new Date('2026-11-20T23:30:00Z'));
    await t.db.run(sql`
      insert into ${growth} (day, cause, nb_joined)
      values ('2026-11-21', 'unknown', 3), ('2026-11-20', 'api', 2), ('2026-11-19', 'api', 1)`);
    expect(((await get(2)).data as GrowthDay[]).map(({ date, nbJoined }) => [date, nbJoined])).toEqual([
      ['2026-11-19T23:00:00.000Z', 2],
      ['2026-11-20T23:00:00.000Z', 3],
    ]);
  });

  it.each([0, 367])('400 for %d days', async (nbDays) => {
    expect(await get(nbDays)).toMatchObject({ status: 400, error: expect.stringContaining('nbDays') });
  });
});
