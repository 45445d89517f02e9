import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignReply } from '../../campaigns/campaign.ts';
import { updateAdvertisement } from '../../contents/advertisement-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { campaignsOperations as operations } from '../operations.ts';
import type { SegmentAdvertisement } from '../segment.ts';
import { maxPlacements } from '../segment.ts';

describe('assignAdvertisement', () => {
  let t: TestApp;
  let idTarget: number;
  let id: number;
  let ad: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    idTarget = await makeTarget(t.db);
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    id = await makeCampaign(t.db, { htmlContent: '[[ENCART.1]]<p>[[ENCART.3]]</p>' });
    await makeSegment(t.db, id, { idTarget });
    await makeSegment(t.db, id, { idTarget });
    ad = await makeAd(t.db, '<p>Sale</p>', { name: 'Sale' });
  });

  const assign = (position: number | string, body: unknown, idCampaign = id) =>
    t.call('PUT', `/campaigns/${idCampaign}/segments/${position}/advertisement`, { body, as: 'editor' });
  async function assigned(segmentPosition: number): Promise<SegmentAdvertisement[]> {
    const reply = await t.call('GET', `/campaigns/${id}/segments/${segmentPosition}`);
    return (reply.data as { advertisements: SegmentAdvertisement[] }).advertisements;
  }
  const places = async () => [
    (await assigned(1)).map(({ position }) => position),
    (await assigned(2)).map(({ position }) => position),
  ];
  const shown = (position: number) => ({ position, idAdvertisement: ad, name: 'Sale', html: '<p>Sale</p>' });

  it('200 places it in one segment, which shows it', async () => {
    const reply = await assign(1, { position: 3, idAdvertisement: ad });
    expect(reply).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect([await assigned(1), await assigned(2)]).toEqual([[shown(3)], []]);
    const read: CampaignReply = (await t.call('GET', `/campaigns/${id}`)).data;
    expect(read.lastUpdateDate).toBe('2026-11-20T10:00:00.000Z');
  });

  it('200 follows the advertisement, except for a given name or HTML', async () => {
    await assign(1, { position: 1, idAdvertisement: ad });
    await assign(2, { position: 1, idAdvertisement: ad, name: 'Here', html: 'mine' });
    const now = new Date('2026-11-20T10:00:00Z');
    await updateAdvertisement(t.db, ad, (before) => ({ ...before, name: 'New', html: 'new' }), now);
    expect(await assigned(1)).toEqual([{ ...shown(1), name: 'New', html: 'new' }]);
    expect(await assigned(2)).toEqual([{ ...shown(1), name: 'Here', html: 'mine' }]);
    await assign(2, { position: 1, idAdvertisement: ad, name: null });
    expect(await assigned(2)).toEqual([{ ...shown(1), name: 'New', html: 'new' }]);
  });

  it('200 keeps what was placed, and its id, when the same is placed again; another takes its place', async () => {
    const idOf = async () =>
      (await t.db.one<{ id: number }>(sql`select max(id) as id from ${t.db.t.segment_advertisement}`)).id;
    await assign(1, { position: 1, idAdvertisement: ad });
    const before = await idOf();
    await assign(1, { position: 1, idAdvertisement: ad, html: 'x' });
    expect(await idOf()).toBe(before);
    await assign(1, { position: 1, idAdvertisement: await makeAd(t.db, 'b') });
    expect(await idOf()).not.toBe(before);
    expect(await assigned(1)).toMatchObject([{ position: 1, html: 'b' }]);
  });

  it('200 with 0 means all segments, and all places of the contents, header and footer', async () => {
    expect((await assign(0, { position: 2, idAdvertisement: ad })).data).toBe(true);
    expect(await places()).toEqual([[2], [2]]);
    expect((await assign(2, { position: 0, idAdvertisement: ad })).data).toBe(true);
    expect(await places()).toEqual([[2], [1, 2, 3]]);
    const idConfiguration = await makeConfiguration(t.db, '[[ENCART.9]]');
    await t.call('PUT', '/campaigns', { body: { id, parameters: { idConfiguration } } });
    await assign(0, { position: 0, idAdvertisement: ad });
    expect(await places()).toEqual([
      [1, 2, 3, 9],
      [1, 2, 3, 9],
    ]);
  });

  it('200 with -1 removes one place, or all; removing a missing one changes nothing', async () => {
    await assign(0, { position: 0, idAdvertisement: ad });
    expect((await assign(1, { position: 1, idAdvertisement: -1 })).data).toBe(true);
    expect((await assign(1, { position: 1, idAdvertisement: -1 })).data).toBe(true);
    expect(await places()).toEqual([[3], [1, 3]]);
    await assign(0, { position: 0, idAdvertisement: -1 });
    expect(await places()).toEqual([[], []]);
  });

  it('200 goes with its segment', async () => {
    await assign(1, { position: 1, idAdvertisement: ad });
    expect((await t.call('DELETE', `/campaigns/${id}/segments/1`)).status).toBe(200);
    expect(await assigned(1)).toEqual([]);
  });

  it.each([
    ['no position', { idAdvertisement: 1 }, 'position: is required'],
    ['no advertisement', { position: 1 }, 'idAdvertisement: is required'],
    ['a negative position', { position: -1, idAdvertisement: 1 }, 'position: must be at least 0'],
    ['-2', { position: 1, idAdvertisement: -2 }, 'idAdvertisement: must be at least -1'],
    [
      'a position that no tag can have',
      { position: 1_000_000, idAdvertisement: 1 },
      'position: must be at most',
    ],
    ['an empty name', { position: 1, idAdvertisement: 1, name: '' }, 'name: '],
    [
      'too long HTML',
      { position: 1, idAdvertisement: 1, html: 'x'.repeat(500_001) },
      'html: must have at most',
    ],
    ['a misspelt member', { position: 1, idAdvertisement: 1, HTML: 'x' }, 'HTML: unknown member'],
  ])('400 %s', async (_, body, error) => {
    expect(await assign(1, body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an unknown campaign, segment or advertisement', async () => {
    const body = { position: 1, idAdvertisement: ad };
    expect(await assign(1, body, 99_999)).toMatchObject({ status: 404, error: 'Campaign not found' });
    expect(await assign(3, body)).toMatchObject({ status: 404, error: 'Segment not found' });
    for (const idAdvertisement of [0, 99_999])
      expect(await assign(1, { position: 1, idAdvertisement })).toMatchObject({
        status: 404,
        error: 'idAdvertisement: Advertisement not found',
      });
  });

  it.each(['InProgress', 'Paused'])('409 while the campaign is %s', async (state) => {
    await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = ${state} where id = ${id}`);
    for (const idAdvertisement of [ad, -1])
      expect(await assign(1, { position: 1, idAdvertisement })).toMatchObject({
        status: 409,
        error: expect.stringContaining(state),
      });
  });

  it('422 for all places where there is none, and for all segments of none', async () => {
    const plain = await makeCampaign(t.db);
    const body = { position: 0, idAdvertisement: ad };
    expect(await assign(0, body, plain)).toMatchObject({
      status: 422,
      error: 'segmentPosition: the campaign has no segment',
    });
    await makeSegment(t.db, plain, { idTarget });
    expect(await assign(0, body, plain)).toMatchObject({
      status: 422,
      error: 'position: the HTML of the campaign has no [[ENCART.n]]; add one first',
    });
  });

  it('422 for too many in a segment, and for too much HTML of places in a campaign', async () => {
    for (let position = 1; position <= maxPlacements; position++)
      await assign(1, { position, idAdvertisement: ad });
    expect(await assign(1, { position: 99, idAdvertisement: ad })).toMatchObject({
      status: 422,
      error: `A segment has at most ${maxPlacements} advertisements`,
    });
    for (let position = 1; position <= 16; position++)
      expect((await assign(1, { position, idAdvertisement: ad, html: 'x'.repeat(500_000) })).status).toBe(
        200,
      );
    expect(await assign(2, { position: 1, idAdvertisement: ad, html: 'x' })).toMatchObject({
      status: 422,
      error: expect.stringContaining('html: a campaign holds at most'),
    });
    expect(await assigned(2)).toEqual([]);
  });

  it('413 for segments whose advertisements are too large to be listed together', async () => {
    const large = await makeAd(t.db, 'x'.repeat(500_000));
    for (let n = 0; n < 3; n++) await makeSegment(t.db, id, { idTarget });
    for (let position = 1; position <= 16; position++) await assign(0, { position, idAdvertisement: large });
    expect(await t.call('GET', `/campaigns/${id}/segments`)).toMatchObject({ status: 413 });
    expect(await assigned(1)).toHaveLength(16);
  });

  it('403 for a reader', async () => {
    const body = { position: 1, idAdvertisement: ad };
    const path = `/campaigns/${id}/segments/1/advertisement`;
    expect((await t.call('PUT', path, { body, as: 'reader' })).status).toBe(403);
  });
});
