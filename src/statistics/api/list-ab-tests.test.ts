import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAbTest } from '../../testing/make-ab-test.ts';
import { makeJob } from '../../testing/make-sent.ts';

describe('listAbTests', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const list = (idCampaign: number) => t.call('GET', `/campaigns/${idCampaign}/ab-tests`, { as: 'reader' });

  it('200 with the variants while it waits, and with the winner and the reason afterwards', async () => {
    const { idCampaign, idJob, idsSent } = await makeAbTest(t);
    const [first, second, idRemainder] = idsSent as [number, number, number];
    const variants = [
      { idSent: first, name: 'A', tested: 'Subject A', readers: null, delivered: null },
      { idSent: second, name: 'B', tested: 'Subject B', readers: null, delivered: null },
    ];
    const waiting = {
      ...{ idJob, type: 'Subject', idRemainder, dueAt: null, decidedAt: null, idWinner: null },
      ...{ reason: null, variants },
    };
    expect(await list(idCampaign)).toMatchObject({ status: 200, typeName: 'AbTest[]', data: [waiting] });
    const [dueAt, decidedAt] = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:02.000Z'];
    const results = [
      { idSent: first, readers: 10, delivered: 60 },
      { idSent: second, readers: 12, delivered: 59 },
    ];
    const decide = (of: typeof results, idWinner: number) =>
      t.db.run(sql`
        update ${t.db.t.ab_test}
        set due_at = ${dueAt}::timestamptz, decided_at = ${decidedAt}::timestamptz, id_winner = ${idWinner},
          results = ${JSON.stringify(of)}::jsonb
        where id_job = ${idJob}`);
    await decide(results, second);
    const decided = { ...waiting, dueAt, decidedAt, idWinner: second, reason: 'best' };
    expect((await list(idCampaign)).data).toEqual([
      { ...decided, variants: variants.map((one, index) => ({ ...one, ...results[index] })) },
    ]);
    await decide([results[0]!, { ...results[1]!, readers: 10, delivered: 60 }], first);
    expect((await list(idCampaign)).data).toMatchObject([{ idWinner: first, reason: 'tie' }]);
    await decide([results[0]!, { ...results[1]!, delivered: 49 }], first);
    expect((await list(idCampaign)).data).toMatchObject([{ idWinner: first, reason: 'tooFew' }]);
  });

  it('200 with the names of senders, and without texts in a test of contents', async () => {
    const { idCampaign, idJob } = await makeAbTest(t, { type: 'Sender' });
    const tested = async () => {
      const tests: { variants: { tested: string }[] }[] = (await list(idCampaign)).data;
      return tests.flatMap(({ variants }) => variants.map((one) => one.tested));
    };
    expect(await tested()).toEqual(['Ada', 'Bea']);
    await t.db.run(sql`update ${t.db.t.ab_test} set type = 'Content' where id_job = ${idJob}`);
    expect(await tested()).toEqual(['', '']);
  });

  it('200 with none for a campaign without a test', async () => {
    const { idCampaign } = await makeJob(t.db);
    expect((await list(idCampaign)).data).toEqual([]);
  });

  it('404 for an unknown campaign', async () => {
    expect((await list(999_999)).error).toBe('Campaign not found');
  });
});
