import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeJob } from '../testing/make-sent.ts';
import { freezeJob } from '../testing/sending-campaign.ts';
import { contentsOfJobs } from './sent-store.ts';

describe('the contents of jobs', () => {
  let t: TestApp;
  let jobs: number[];
  beforeAll(async () => {
    t = await testApp();
    jobs = [];
    for (let n = 0; n < 3; n++) {
      const { idJob } = await makeJob(t.db);
      await freezeJob(t.db, idJob, '0123456789');
      jobs.push(idJob);
    }
  });
  afterAll(() => t.close());

  const given = async (ids: readonly number[], max: number) =>
    [...(await contentsOfJobs(t.db, ids, max)).keys()].sort();

  it('are given from the newest on, up to the limit', async () => {
    const [, second, third] = jobs;
    expect(await given(jobs, 30)).toEqual(jobs);
    expect(await given(jobs, 29)).toEqual([second, third]);
    expect(await given(jobs, 9)).toEqual([]);
  });

  it('count once for each sent that shows them', async () => {
    const [first, , third] = jobs as [number, number, number];
    expect(await given([first, third, third], 29)).toEqual([third]);
  });

  it('are nothing for a job that is not frozen', async () => {
    const { idJob } = await makeJob(t.db);
    expect((await contentsOfJobs(t.db, [idJob], 10)).get(idJob)).toEqual({ html: null, text: null });
  });
});
