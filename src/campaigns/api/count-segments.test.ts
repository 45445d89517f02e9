import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { Selection } from '../../targets/selection.ts';
import { deleteTargetRow } from '../../targets/target-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { evaluationFailures, type FailingTargets, failingTargets } from '../../testing/failing-targets.ts';
import { Hold } from '../../testing/hold.ts';
import { evaluateAudience, evaluateTestAudience } from '../audience.ts';
import { campaignsOperations as operations } from '../operations.ts';
import type { SegmentCount } from '../segment.ts';
import { listSegments } from '../segment-store.ts';

const at = new Date('2026-11-20T10:00:00Z');

describe('countSegments', () => {
  let t: TestApp;
  let id: number;
  let counts: SegmentCount[];
  beforeAll(async () => {
    t = await testApp({ operations });
    await makeSubscribers(t.db, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // 9 is unsubscribed, 10 hard-bounced, 8 bounces softly and may still be written to.
    await t.db.run(sql`
      update ${t.db.t.subscriber}
      set fld7 = case when fld0 = 9 then 1 else 0 end, fld44 = case fld0 when 10 then 2 when 8 then 1 else 0 end`);
    id = await makeCampaign(t.db);
    const everybody = await makeTarget(t.db);
    const low = await makeTarget(t.db, { ids: [1, 2, 3, 4] });
    const one = await makeTarget(t.db, { ids: [1], isSafe: false });
    await makeSegment(t.db, id, { idTarget: low, percent: 50 });
    await makeSegment(t.db, id, { idTarget: everybody, fixedValues: 4 });
    await makeSegment(t.db, id, { idTarget: everybody });
    await makeSegment(t.db, id, { idTarget: one, isExcluded: true });
    counts = (await t.call('GET', `/campaigns/${id}/segments/count`, { as: 'reader' })).data;
  });
  afterAll(() => t.close());

  it('200 with the counts of all segments, and keeps them', async () => {
    const segments = await listSegments(t.db, id);
    const figures = [
      // Of 1 to 4 the excluded segment takes 1; half of the three others, rounded up, is two.
      { percent: 50, fixedValues: 0, targetCount: 4, deDuplicatedCount: 3, segmentCount: 2 },
      // 10 is counted by the target but may not be written to; 2 and 3 are taken.
      { percent: 100, fixedValues: 4, targetCount: 9, deDuplicatedCount: 5, segmentCount: 4 },
      { percent: 100, fixedValues: 0, targetCount: 9, deDuplicatedCount: 1, segmentCount: 1 },
      { percent: 100, fixedValues: 0, targetCount: 1, deDuplicatedCount: 1, segmentCount: 1 },
    ];
    expect(counts).toEqual(
      figures.map((one, index) => ({ idSegment: segments[index]!.id, position: index + 1, ...one })),
    );
    expect(segments.map((segment) => segment.lastCount)).toEqual([2, 4, 1, 1]);
  });

  const select = <T>(work: (selection: Selection) => Promise<T>) =>
    Selection.select({ app: t.app, db: t.db, at, reader: 'task', limitMs: 600_000 }, work);

  it('200 as the audience that a sending would freeze', async () => {
    const segments = await listSegments(t.db, id);
    const rows = await select((selection) =>
      evaluateAudience(selection, segments, (audience) =>
        selection.tx.rows(sql`select fld0, position from (${audience}) a order by position, fld0`),
      ),
    );
    expect(rows).toEqual([
      { fld0: 2, position: 1 },
      { fld0: 3, position: 1 },
      { fld0: 4, position: 2 },
      { fld0: 5, position: 2 },
      { fld0: 6, position: 2 },
      { fld0: 7, position: 2 },
      { fld0: 8, position: 3 },
    ]);
  });

  it('200 for a test mailing: every reachable subscriber of the test target at every position', async () => {
    const idTestTarget = await makeTarget(t.db, { ids: [1, 9], isSafe: false, isTestTarget: true });
    const rows = await select((selection) =>
      evaluateTestAudience(selection, idTestTarget, [1, 3], (audience) =>
        selection.tx.rows(sql`select * from (${audience}) a order by position`),
      ),
    );
    expect(rows).toEqual([
      { fld0: 1, position: 1 },
      { fld0: 1, position: 3 },
    ]);
  });

  it('200 with nothing for a campaign without segments', async () => {
    const empty = await makeCampaign(t.db);
    expect(await t.call('GET', `/campaigns/${empty}/segments/count`)).toMatchObject({
      status: 200,
      data: [],
      typeName: 'SegmentCount[]',
    });
  });

  it.each(evaluationFailures)('%i where a target cannot be evaluated', async (status, words) => {
    const failing: FailingTargets = await failingTargets(t);
    const id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    await makeSegment(t.db, id, { idTarget: failing[status] });
    expect(await t.call('GET', `/campaigns/${id}/segments/count`)).toMatchObject({
      status,
      data: null,
      error: expect.stringContaining(words),
    });
  });

  it('422 names the target whose expression fails', async () => {
    const id = await makeCampaign(t.db);
    const failing = [(await failingTargets(t))[422], (await failingTargets(t))[422]];
    const errorOf = async () => (await t.call('GET', `/campaigns/${id}/segments/count`)).error;
    const fault = 'cannot be evaluated on these subscribers: division by zero';
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    await makeSegment(t.db, id, { idTarget: failing[0]! });
    expect(await errorOf()).toBe(`The SQL filter of target ${failing[0]} ${fault}`);
    await makeSegment(t.db, id, { idTarget: failing[1]! });
    expect(await errorOf()).toBe(`The SQL filter of one of the targets ${failing.join(', ')} ${fault}`);
  });

  it('200 keeps no count of a segment that was changed while it was counted', async () => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db, { ids: [1, 2, 3] });
    for (let n = 0; n < 2; n++) await makeSegment(t.db, id, { idTarget, fixedValues: 1 });
    // The count is stalled where it reads the targets.
    const hold = await Hold.of(
      t.connection,
      `lock table ${t.db.site.schema}.subscriber in access exclusive mode`,
    );
    const counting = t.call('GET', `/campaigns/${id}/segments/count`);
    await hold.reached();
    const body = { name: 'All', idTarget, percent: 100, fixedValues: 2 };
    expect((await t.call('PUT', `/campaigns/${id}/segments/2`, { body })).status).toBe(200);
    await hold.letGo();
    expect((await counting).data).toMatchObject([{ segmentCount: 1 }, { segmentCount: 1 }]);
    const counts = async () => (await listSegments(t.db, id)).map((segment) => segment.lastCount);
    expect(await counts()).toEqual([1, null]);
    await t.call('GET', `/campaigns/${id}/segments/count`);
    expect(await counts()).toEqual([1, 2]);
  });

  it('409 that names the segment whose target was deleted', async () => {
    const id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const idTarget = await makeTarget(t.db);
    await makeSegment(t.db, id, { idTarget });
    await deleteTargetRow(t.db, idTarget, new Date());
    const error = `Segment 2 uses target ${idTarget}, which no longer exists; choose another target`;
    expect(await t.call('GET', `/campaigns/${id}/segments/count`)).toMatchObject({ status: 409, error });
    expect(await t.call('GET', `/campaigns/${id}/segments/1/count`)).toMatchObject({ status: 409, error });
  });

  it('404 for an unknown campaign', async () => {
    expect((await t.call('GET', '/campaigns/999/segments/count')).error).toBe('Campaign not found');
  });

  it('200 for one segment (countSegment) the same count alone', async () => {
    const reply = await t.call('GET', `/campaigns/${id}/segments/3/count`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, data: [counts[2]] });
  });
});
