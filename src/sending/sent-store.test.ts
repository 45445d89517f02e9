import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeJob } from '../testing/make-sent.ts';
import { freezeJob } from '../testing/sending-campaign.ts';
import { contentsOfSents } from './sent-store.ts';

describe('the contents of sendings', () => {
  let t: TestApp;
  /** Two sendings of each of three jobs. */
  let sents: number[][];
  beforeAll(async () => {
    t = await testApp();
    sents = [];
    for (let n = 0; n < 3; n++) {
      const { idJob, idsSent } = await makeJob(t.db, { sents: 2 });
      await freezeJob(t.db, idJob, '0123456789');
      sents.push([...idsSent]);
    }
  });
  afterAll(() => t.close());

  const given = async (ids: readonly (number | undefined)[], max: number) =>
    [...(await contentsOfSents(t.db, ids as number[], max)).keys()].sort((a, b) => a - b);

  it('are given by the job, from the newest on, up to the limit', async () => {
    const [first, second, third] = sents.map(([id]) => id);
    expect(await given([first, second, third], 30)).toEqual([first, second, third]);
    expect(await given([first, second, third], 29)).toEqual([second, third]);
    expect(await given([first, second, third], 9)).toEqual([]);
  });

  it('count once for each sending that shows them', async () => {
    const [first, , third] = sents as [number[], number[], number[]];
    expect(await given([first[0], ...third], 29)).toEqual(third);
  });

  it('are a sending’s own where it has them, and count by their own length', async () => {
    const { idJob, idsSent } = await makeJob(t.db, { sents: 2 });
    const frozen = {
      source: { html: 'all', text: 'text' },
      sents: [
        { conf: { idSent: idsSent[0] } },
        { conf: { idSent: idsSent[1] }, content: { html: 'own content' } },
      ],
    };
    await t.db.run(
      sql`update ${t.db.t.job} set frozen = ${JSON.stringify(frozen)}::jsonb where id = ${idJob}`,
    );
    expect([...(await contentsOfSents(t.db, idsSent, 22))]).toEqual([
      [idsSent[0], { html: 'all', text: 'text' }],
      [idsSent[1], { html: 'own content', text: 'text' }],
    ]);
    expect(await given(idsSent, 21)).toEqual([]);
  });

  it('are nothing for a job that is not frozen', async () => {
    const { idsSent } = await makeJob(t.db);
    expect((await contentsOfSents(t.db, idsSent, 10)).get(idsSent[0]!)).toEqual({ html: null, text: null });
  });
});
