import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { setScheduleState } from '../campaign-store.ts';
import { campaignsOperations as operations } from '../operations.ts';
import { findSegment, listSegments, setLastCounts } from '../segment-store.ts';

describe('updateSegment', () => {
  let t: TestApp;
  let id: number;
  let idTarget: number;
  let idSegment: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    idTarget = await makeTarget(t.db);
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget });
    idSegment = await makeSegment(t.db, id, { idTarget, mailObject: 'Old', isRandom: true });
  });

  const update = (body: object, position = 2, as: 'reader' | 'editor' = 'editor') =>
    t.call('PUT', `/campaigns/${id}/segments/${position}`, { body, as });
  const body = () => ({ name: 'New', idTarget, percent: 10, fixedValues: 5 });

  it('200 true, replacing everything, and the old count is forgotten', async () => {
    await setLastCounts(t.db, await listSegments(t.db, id), new Map([[idSegment, 10]]));
    expect((await findSegment(t.db, id, 2))?.lastCount).toBe(10);
    expect(await update(body())).toMatchObject({ status: 200, data: true });
    expect(await findSegment(t.db, id, 2)).toEqual({
      id: idSegment,
      idCampaign: id,
      position: 2,
      parameters: { ...body(), isExcluded: false, isRandom: false, mailObject: null, senderAlias: null },
      lastCount: null,
    });
    expect((await findSegment(t.db, id, 1))?.parameters.name).toBe('All');
  });

  it('400 names what is missing', async () => {
    expect(await update({ name: 'a' })).toMatchObject({ status: 400, error: 'idTarget: is required' });
  });

  it('404 for an unknown position or target', async () => {
    expect(await update(body(), 3)).toMatchObject({ status: 404, error: 'Segment not found' });
    const elsewhere = { ...body(), idTarget: 999_999 };
    expect(await update(elsewhere)).toMatchObject({ status: 404, error: 'idTarget: Target not found' });
  });

  it('409 while the campaign is sent', async () => {
    await setScheduleState(t.db, id, 'Programmed');
    await setScheduleState(t.db, id, 'InProgress');
    expect((await update(body())).status).toBe(409);
  });

  it('403 for a reader', async () => {
    expect((await update(body(), 2, 'reader')).status).toBe(403);
  });
});
