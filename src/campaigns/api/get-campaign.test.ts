import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { emptyCampaign } from '../campaign.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('getCampaign', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  it('200 with all that the document lists', async () => {
    const id = await makeCampaign(t.db, { parameters: { idConfiguration: 7, sendingSpeed: 500 } });
    const reply = await t.call('GET', `/campaigns/${id}`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, success: true, error: null, typeName: 'Campaign' });
    expect(reply.data).toEqual({
      id,
      parameters: {
        ...emptyCampaign.parameters,
        name: 'Spring',
        subject: 'It is here',
        idConfiguration: 7,
        sendingSpeed: 500,
      },
      htmlContent: '<p>Hello [[FLD.1]]</p>',
      preheader: '',
      textContent: '',
      creationDate: '2026-11-19T09:00:00.000Z',
      lastUpdateDate: '2026-11-19T09:00:00.000Z',
      schedulingInfos: { calendarDates: '', type: 'None', state: 'None' },
      authorId: 1,
      authorName: 'Ada',
      idCampDynamic: null,
      autoHostPictures: false,
      autoHostPicturesIdDirectory: null,
      idDirectory: null,
      autoHostPicturesResult: null,
      isTracked: false,
      notSafeTargetIds: '',
    });
  });

  it('200 names the targets of its segments that are not safe', async () => {
    const id = await makeCampaign(t.db);
    const [safe, unsafe, another] = [
      await makeTarget(t.db),
      await makeTarget(t.db, { isSafe: false }),
      await makeTarget(t.db, { isSafe: false }),
    ];
    for (const idTarget of [another, safe, unsafe, unsafe]) await makeSegment(t.db, id, { idTarget });
    const reply = await t.call('GET', `/campaigns/${id}`);
    expect(reply.data).toMatchObject({ notSafeTargetIds: `${unsafe},${another}` });
  });

  it('404 for an unknown campaign', async () => {
    expect(await t.call('GET', '/campaigns/999')).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it('400 for an id that is no number', async () => {
    expect(await t.call('GET', '/campaigns/x')).toMatchObject({ status: 400 });
  });
});
