import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeTarget } from '../../testing/campaign-makers.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { setScheduleState } from '../campaign-store.ts';
import { campaignsOperations as operations } from '../operations.ts';
import { maxSegments } from '../segment.ts';
import { listSegments } from '../segment-store.ts';

describe('createSegment', () => {
  let t: TestApp;
  let id: number;
  let idTarget: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    idTarget = await makeTarget(t.db);
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    id = await makeCampaign(t.db);
  });

  const create = (body: object, idCampaign = id, as: 'reader' | 'editor' = 'editor') =>
    t.call('POST', `/campaigns/${idCampaign}/segments`, { body, as });
  const whole = { name: 'All', percent: 100, fixedValues: 0 };

  it('200 with the id, behind the others, and the campaign changed', async () => {
    const first = await create({ ...whole, idTarget });
    const second = await create({
      name: ' Half ',
      idTarget,
      isExcluded: true,
      isRandom: true,
      percent: 50,
      mailObject: 'For you',
      senderAlias: ' Ada ',
      fixedValues: 10,
    });
    expect(first).toMatchObject({ status: 200, typeName: 'Int32' });
    expect(await listSegments(t.db, id)).toEqual([
      {
        id: first.data,
        idCampaign: id,
        position: 1,
        parameters: {
          ...whole,
          idTarget,
          isExcluded: false,
          isRandom: false,
          mailObject: null,
          senderAlias: null,
        },
        lastCount: null,
      },
      {
        id: second.data,
        idCampaign: id,
        position: 2,
        parameters: {
          name: 'Half',
          idTarget,
          isExcluded: true,
          isRandom: true,
          percent: 50,
          mailObject: 'For you',
          senderAlias: 'Ada',
          fixedValues: 10,
        },
        lastCount: null,
      },
    ]);
    const campaign = await t.call('GET', `/campaigns/${id}`);
    expect(campaign.data).toMatchObject({ lastUpdateDate: '2026-11-20T10:00:00.000Z' });
  });

  it('200 for ten at once: ten positions without a gap', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => create({ ...whole, idTarget })));
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    const positions = (await listSegments(t.db, id)).map((segment) => segment.position);
    expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('200 at a position, with its advertisements', async () => {
    const idAdvertisement = await makeAd(t.db, '<b>Buy</b>');
    for (const name of ['A', 'B']) await create({ ...whole, name, idTarget });
    const advertisements = [{ position: 2, idAdvertisement }];
    expect((await create({ ...whole, name: 'First', idTarget, position: 1, advertisements })).status).toBe(
      200,
    );
    await create({ ...whole, name: 'Last', idTarget, position: 50 });
    const listed = await t.call('GET', `/campaigns/${id}/segments`);
    expect(listed.data).toMatchObject([
      { position: 1, parameters: { name: 'First' }, advertisements: [{ position: 2, html: '<b>Buy</b>' }] },
      { position: 2, parameters: { name: 'A' }, advertisements: [] },
      { position: 3, parameters: { name: 'B' } },
      { position: 4, parameters: { name: 'Last' } },
    ]);
  });

  it('400 for two advertisements at one place; no segment remains', async () => {
    const idAdvertisement = await makeAd(t.db, '<b>Buy</b>');
    const advertisements = [1, 2, 1].map((position) => ({ position, idAdvertisement }));
    expect(await create({ ...whole, idTarget, advertisements })).toMatchObject({
      status: 400,
      error: 'advertisements[2].position: must not repeat an earlier position',
    });
    expect(await listSegments(t.db, id)).toEqual([]);
  });

  it('404 for an unknown advertisement; no segment remains', async () => {
    const advertisements = [{ position: 1, idAdvertisement: 999_999 }];
    expect(await create({ ...whole, idTarget, advertisements })).toMatchObject({
      status: 404,
      error: 'advertisements[0].idAdvertisement: Advertisement not found',
    });
    expect(await listSegments(t.db, id)).toEqual([]);
  });

  it('200 for an unsafe target, which the segment and the campaign report', async () => {
    const unsafe = await makeTarget(t.db, { isSafe: false });
    expect((await create({ ...whole, idTarget: unsafe })).status).toBe(200);
    expect((await t.call('GET', `/campaigns/${id}/segments/1`)).data).toMatchObject({ isSafe: false });
    expect((await t.call('GET', `/campaigns/${id}`)).data).toMatchObject({ notSafeTargetIds: `${unsafe}` });
  });

  it.each([
    ['no name', { name: undefined }, 'name: is required'],
    ['a blank name', { name: ' ' }, 'name: must not be blank'],
    ['a line end in the name', { name: 'a\n' }, 'name: holds characters'],
    ['a line end in the subject', { mailObject: 'a\nb' }, 'mailObject: holds characters'],
    ['a line end in the sender', { senderAlias: 'a\nb' }, 'senderAlias: holds characters'],
    ['no target', { idTarget: undefined }, 'idTarget: is required'],
    ['no percent', { percent: undefined }, 'percent: is required'],
    ['101 percent', { percent: 101 }, 'percent: must be at most 100'],
    [
      'no share of the target',
      { percent: 0 },
      'percent: must be from 1 to 100; 0 would select no subscriber',
    ],
    ['half a percent', { percent: 0.5 }, 'percent: must be an integer'],
    ['no fixedValues', { fixedValues: undefined }, 'fixedValues: is required'],
    ['a negative cap', { fixedValues: -1 }, 'fixedValues: must be at least 0'],
    ['an unknown member', { lastCount: 1 }, 'lastCount: unknown member'],
    ['the place before the first', { position: 0 }, 'position: must be at least 1'],
  ])('400 names %s', async (_what, change, error) => {
    expect(await create({ ...whole, idTarget, ...change })).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it('404 for an unknown campaign or target', async () => {
    expect(await create({ ...whole, idTarget }, 999_999)).toMatchObject({ error: 'Campaign not found' });
    expect(await create({ ...whole, idTarget: 999_999 })).toMatchObject({
      status: 404,
      error: 'idTarget: Target not found',
    });
  });

  it('409 while the campaign is sent', async () => {
    await setScheduleState(t.db, id, 'Programmed');
    await setScheduleState(t.db, id, 'InProgress');
    expect(await create({ ...whole, idTarget })).toMatchObject({
      status: 409,
      error:
        'The campaign is InProgress and cannot be changed; stop it first: once stopped it cannot be resumed, ' +
        'and what is sent again goes to everybody',
    });
  });

  it('422 for one segment too many', async () => {
    for (let n = 0; n < maxSegments; n++) await create({ ...whole, idTarget });
    expect(await create({ ...whole, idTarget })).toMatchObject({ status: 422 });
  });

  it('403 for a reader', async () => {
    expect((await create({ ...whole, idTarget }, id, 'reader')).status).toBe(403);
  });
});
