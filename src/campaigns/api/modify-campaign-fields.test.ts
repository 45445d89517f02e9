import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeTarget } from '../../testing/campaign-makers.ts';
import type { CampaignReply } from '../campaign.ts';
import { campaignFieldNames } from '../campaign-fields.ts';

describe('modifyCampaignFields', () => {
  let t: TestApp;
  let idCampaign: number;
  let before: CampaignReply;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    idCampaign = await makeCampaign(t.db, { textContent: 'Hello' });
    before = await read();
  });

  const read = async (): Promise<CampaignReply> => (await t.call('GET', `/campaigns/${idCampaign}`)).data;
  const modify = (fields: object) =>
    t.call('PUT', '/campaigns/fields', { body: { idCampaign, fields }, as: 'editor' });

  it('200 sets each field that it names, and nothing else', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true });
    const idThematic = (await t.call('POST', '/thematics', { body: { name: 'Sport' } })).data as {
      idThematic: number;
    };
    const advertiser = (await t.call('POST', '/advertisers', { body: { name: 'Shop' } })).data as {
      id: number;
    };
    const body = { name: 'Brings', webSite: 'https://brings.example/' };
    const affiliation = (await t.call('POST', '/affiliations', { body })).data as { id: number };
    const idConfiguration = await makeConfiguration(t.db);
    const idCampDynamic = await makeCampaign(t.db, {
      parameters: { name: 'T', subject: 'T', mode: 'Dynamic' },
    });
    const reply = await modify({
      name: 'Named',
      msgHtml: '<p>New</p>',
      msgTxt: 'New',
      mailObject: 'Subject',
      preheader: 'Look inside, [[FLD.1]]',
      expAlias: 'We',
      responseAlias: 'Us',
      isArchive: 'true',
      hasTxtMsg: '1',
      useListUnsubscribe: 'false',
      nhdActive: 'TRUE',
      isOneshot: 'true',
      genSpeed: '500',
      numTest: '3',
      id_config: String(idConfiguration),
      id_testFilter: String(idTestTarget),
      id_thematic: String(idThematic.idThematic),
      id_common_advertiser: String(advertiser.id),
      id_common_affiliate: String(affiliation.id),
      id_campDynamic: String(idCampDynamic),
      id_campType: '3',
      id_campMode: 'simple',
      isDynamic: '0',
      isTestAB: 'false',
    });
    expect(reply).toMatchObject({ status: 200, data: true, typeName: 'Boolean', error: null });
    expect(await read()).toEqual({
      ...before,
      htmlContent: '<p>New</p>',
      textContent: 'New',
      preheader: 'Look inside, [[FLD.1]]',
      idCampDynamic,
      lastUpdateDate: '2026-11-20T10:00:00.000Z',
      parameters: {
        ...before.parameters,
        name: 'Named',
        subject: 'Subject',
        senderAlias: 'We',
        responseAlias: 'Us',
        isArchive: true,
        hasTextMessage: true,
        useListUnsubscribeHeader: false,
        notifyHighDelivrability: true,
        isOneshot: true,
        sendingSpeed: 500,
        nbTests: 3,
        idConfiguration,
        idTestTarget,
        idThematic: idThematic.idThematic,
        idCommonAdvertiser: advertiser.id,
        idCommonAffiliatePlatform: affiliation.id,
        type: 'Other',
      },
    });
    await modify({ id_testFilter: '0', id_thematic: '', mailObject: '' });
    expect((await read()).parameters).toMatchObject({ idTestTarget: null, idThematic: null, subject: '' });
  });

  it('200 the flags of the mode set the mode', async () => {
    const modeOf = async (fields: object) => {
      expect((await modify(fields)).error).toBe(null);
      const { mode, isAbTest } = (await read()).parameters;
      return [mode, isAbTest];
    };
    expect(await modeOf({ isDynamic: 'true' })).toEqual(['Dynamic', false]);
    expect(await modeOf({ isTestAB: 'false' })).toEqual(['Dynamic', false]);
    expect(await modeOf({ isDynamic: 'false' })).toEqual(['Simple', false]);
    await t.call('PUT', '/campaigns', {
      body: { id: idCampaign, parameters: { abTestType: 'Subject', nbTests: 2 } },
    });
    expect(await modeOf({ isTestAB: 'true' })).toEqual(['TestAb', true]);
    expect(await modeOf({ id_campMode: '3' })).toEqual(['External', false]);
  });

  it.each([
    ['colour', 'x', 'fields.colour: unknown member'],
    ['__proto__x', 'x', 'fields.__proto__x: unknown member'],
    ['constructor', 'x', 'fields.constructor: unknown member'],
    ['isArchive', 'maybe', 'fields.isArchive: must be true, false, 1 or 0'],
    ['genSpeed', '-1', 'fields.genSpeed: must be a whole number from 0 to 2147483647'],
    ['genSpeed', '9999999999', 'fields.genSpeed: must be a whole number from 0 to 2147483647'],
    ['id_config', 'x', 'fields.id_config: must be a whole number'],
    ['id_campType', '99', 'fields.id_campType: must be one of Unknown, Newsletter'],
    ['id_campMode', 'Odd', 'fields.id_campMode: must be one of Unknown, Simple'],
    ['mailObject', 'x'.repeat(501), 'fields.mailObject: must'],
    ['mailObject', 'two\nlines', 'fields.mailObject: holds characters that are not allowed'],
    ['preheader', 'x'.repeat(501), 'fields.preheader: must'],
    ['name', ' ', 'fields.name: must not be blank'],
  ])('400 for %s %j, and nothing is changed', async (name, text, error) => {
    expect(await modify({ msgTxt: 'Changed', [name]: text })).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
    expect(await read()).toEqual(before);
  });

  it('400 for fields of the mode that contradict each other, and for an A/B test of nothing', async () => {
    expect((await modify({ id_campMode: 'Simple', isDynamic: 'true' })).error).toBe(
      'fields.isDynamic: contradicts fields.id_campMode',
    );
    expect((await modify({ isDynamic: 'true', isTestAB: 'true' })).error).toBe(
      'fields.isTestAB: contradicts another field of the mode',
    );
    expect((await modify({ isTestAB: 'true' })).error).toContain('abTestType: an A/B test needs');
    expect(await read()).toEqual(before);
  });

  it.each([
    ['id_config', 'fields.id_config'],
    ['id_testFilter', 'fields.id_testFilter'],
    ['id_thematic', 'fields.id_thematic'],
    ['id_campDynamic', 'fields.id_campDynamic'],
    ['id_common_advertiser', 'fields.id_common_advertiser'],
    ['id_common_affiliate', 'fields.id_common_affiliate'],
  ])('404 for an unknown %s', async (name, error) => {
    expect(await modify({ [name]: '99999' })).toMatchObject({
      status: 404,
      error: expect.stringContaining(error),
    });
  });

  it('422 for each name of the document that cannot be set, with the reason', async () => {
    const refusals: string[] = [];
    for (const name of campaignFieldNames) {
      const { status, error } = await modify({ [name]: '1' });
      if (status === 422 && error) refusals.push(error);
    }
    expect(refusals.filter((one) => !/^fields.id_(testFilter|campDynamic)/.test(one))).toEqual([
      'fields.id_campaign: cannot be changed; idCampaign names the campaign',
      'fields.creationDate: is given by the service',
      'fields.majDate: is given by the service',
      'fields.id_user: is who made the campaign and cannot be changed',
      'fields.id_planning: cannot be set; a campaign is planned by scheduling it',
      'fields.id_prog: cannot be set; there are no programs of campaigns',
      'fields.isTracked: is counted from the links; trackAllLinks, trackLink and untrackLink change it',
      'fields.nbPubInsert: is counted from the segments; assignAdvertisement changes it',
      'fields.nhdLinkActive: cannot be set; the notice of a high delivery rate has no link',
      'fields.id_site_brand: cannot be set; a site has one brand',
      'fields.isAutomation: cannot be set; there is no automation of campaigns',
    ]);
  });

  it('409 while its messages leave; 404 for an unknown campaign; 400 without a field', async () => {
    await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = 'InProgress' where id = ${idCampaign}`);
    expect((await modify({ name: 'x' })).status).toBe(409);
    const unknown = { idCampaign: 99_999, fields: { name: 'x' } };
    expect((await t.call('PUT', '/campaigns/fields', { body: unknown })).status).toBe(404);
    expect((await modify({})).status).toBe(400);
  });
});
