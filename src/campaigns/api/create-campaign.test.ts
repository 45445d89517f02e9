import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advertisers } from '../../contents/advertiser-store.ts';
import { affiliations } from '../../contents/affiliation-store.ts';
import { insertDirectory } from '../../contents/directory-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeTarget } from '../../testing/campaign-makers.ts';
import type { CampaignReply } from '../campaign.ts';
import { campaignsOperations as operations } from '../operations.ts';
import { listLinks } from '../tracked-link-store.ts';

describe('createCampaign', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const create = (body: unknown, as: 'reader' | 'editor' = 'editor') =>
    t.call('POST', '/campaigns', { body, as });
  const withParameters = (parameters: object) => create({ parameters: { name: 'Spring', ...parameters } });

  it('200 with the defaults for all that was omitted', async () => {
    const reply = await create({ parameters: { name: '  Spring ' }, htmlContent: '<p>é</p>' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Campaign' });
    const made: CampaignReply = reply.data;
    expect(made).toMatchObject({
      parameters: { name: 'Spring', mode: 'Simple', type: 'Newsletter', subject: '', idConfiguration: null },
      htmlContent: '<p>é</p>',
      creationDate: '2026-11-20T10:00:00.000Z',
      lastUpdateDate: '2026-11-20T10:00:00.000Z',
      schedulingInfos: { calendarDates: '', type: 'None', state: 'None' },
      authorName: 'Ada',
    });
    expect((await t.call('GET', `/campaigns/${made.id}`)).data).toEqual(made);
  });

  it('200 keeps every member that is given', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true, isSafe: false });
    const idDirectory = await insertDirectory(t.db, { name: 'Season', dirType: 'Campaign' });
    const autoHostPicturesIdDirectory = await insertDirectory(t.db, { name: 'Season', dirType: 'Image' });
    const thematic = await t.db.one<{ id: number }>(sql`
      insert into ${t.db.t.thematic} (name) values ('Shoes') returning id`);
    const body = {
      parameters: {
        idCommonAffiliatePlatform: null,
        idCommonAdvertiser: null,
        hasTextMessage: true,
        idConfiguration: await makeConfiguration(t.db),
        idTestTarget,
        idThematic: thematic.id,
        isAbTest: true,
        isOneshot: true,
        isArchive: true,
        mode: 'TestAb',
        name: 'Été 夏',
        notifyHighDelivrability: true,
        responseAlias: 'Answers',
        senderAlias: 'Ada',
        sendingSpeed: 1000,
        subject: 'Hello [[FLD.1]]',
        type: 'Topic',
        useListUnsubscribeHeader: false,
        abTestType: 'Subject',
        nbTests: 3,
      },
      htmlContent: '<p>1</p>',
      textContent: '1\n2',
      idCampDynamic: await makeCampaign(t.db, { parameters: { name: 'Layout', mode: 'Dynamic' } }),
      autoHostPictures: false,
      autoHostPicturesIdDirectory,
      idDirectory,
    };
    expect((await create(body)).data).toMatchObject(body);
  });

  it('200 with its segments in their order, and nothing if one of them is wrong', async () => {
    const idTarget = await makeTarget(t.db);
    const segment = { name: 'All', idTarget, percent: 100, fixedValues: 0 };
    const parameters = { name: 'With segments' };
    const segments = [segment, { ...segment, name: ' Not these ', isExcluded: true }];
    const reply = await create({ parameters, segments });
    expect(reply).toMatchObject({ status: 200, typeName: 'Campaign' });
    expect(
      (await t.call('GET', `/campaigns/${(reply.data as CampaignReply).id}/segments`)).data,
    ).toMatchObject([
      { position: 1, parameters: segment },
      { position: 2, parameters: { name: 'Not these', isExcluded: true } },
    ]);
    for (const [wrong, status, error] of [
      [{ idTarget: 999_999 }, 404, 'segments[1].idTarget: Target not found'],
      [{ name: ' ' }, 400, 'segments[1].name: must not be blank'],
      [{ percent: 0 }, 400, 'segments[1].percent: must be from 1 to 100; 0 would select no subscriber'],
    ] as const)
      expect(await create({ parameters, segments: [segment, { ...segment, ...wrong }] })).toMatchObject({
        status,
        error,
      });
    const count = sql`select count(*)::int as n from ${t.db.t.campaign} where name = 'With segments'`;
    expect(await t.db.value<number>(count)).toBe(1);
    const many = await create({ parameters, segments: Array.from({ length: 51 }, () => segment) });
    expect(many).toMatchObject({ status: 400, error: expect.stringContaining('segments: ') });
  });

  it('200 with trackAllLinks tracks the links of its contents and of its configuration', async () => {
    const idConfiguration = await makeConfiguration(
      t.db,
      '<a href="https://example.com/imprint">Imprint</a>',
    );
    const body = {
      parameters: { name: 'Spring', idConfiguration },
      htmlContent:
        '<a href="https://example.com/?a=1&amp;b=2">Shop</a><a href="mailto:a@example.com">Mail</a>',
    };
    expect((await create(body)).data).toMatchObject({ isTracked: false });
    const reply = await t.call('POST', '/campaigns', { body, query: { trackAllLinks: true } });
    expect(reply.data).toMatchObject({ isTracked: true });
    const { id }: CampaignReply = reply.data;
    const tracked = (await listLinks(t.db, id)).filter((link) => link.isTracked);
    expect(tracked.map((link) => link.url)).toEqual([
      'https://example.com/?a=1&b=2',
      'https://example.com/imprint',
    ]);
  });

  it('200 takes a campaign as it was read, and makes another one of it', async () => {
    const first: CampaignReply = (await create({ parameters: { name: 'Spring' } })).data;
    const second: CampaignReply = (await create(first)).data;
    expect(second).toEqual({ ...first, id: second.id });
    expect(second.id).toBeGreaterThan(first.id);
  });

  it.each([
    ['no parameters', { htmlContent: '' }, 'parameters: is required'],
    ['no name', { parameters: {} }, 'parameters.name: is required'],
    ['a blank name', { parameters: { name: ' \u00a0' } }, 'parameters.name: must not be blank'],
    ['a line end in the name', { parameters: { name: 'a\nb' } }, 'parameters.name: holds characters'],
    ['half a surrogate pair', { parameters: { name: 'a\ud800' } }, 'parameters.name: holds characters'],
    ['a long name', { parameters: { name: 'a'.repeat(256) } }, 'parameters.name: must have at most 255'],
    ['an unknown member', { parameters: { name: 'a', nam: 1 } }, 'parameters.nam: unknown member'],
    [
      'an unknown mode',
      { parameters: { name: 'a', mode: 'Fast' } },
      'parameters.mode: must be one of Unknown,',
    ],
    [
      'a number as text',
      { parameters: { name: 'a', sendingSpeed: '5' } },
      'parameters.sendingSpeed: must be an',
    ],
    [
      'a negative speed',
      { parameters: { name: 'a', sendingSpeed: -1 } },
      'parameters.sendingSpeed: must be at least 0',
    ],
    ['NUL in the HTML', { parameters: { name: 'a' }, htmlContent: '\0' }, 'htmlContent: holds characters'],
  ])('400 names %s', async (_what, body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it.each([
    ['a line end in the subject', { subject: 'a\r\nBcc: b@example.org' }, 'parameters.subject: holds'],
    ['a line end in the sender', { senderAlias: 'a\nb' }, 'parameters.senderAlias: holds'],
    [
      'a control character in the answer alias',
      { responseAlias: 'a\u0007' },
      'parameters.responseAlias: holds',
    ],
    ['an A/B flag without its mode', { isAbTest: true }, 'parameters.isAbTest: goes with'],
    ['an A/B mode without its flag', { mode: 'TestAb' }, 'parameters.isAbTest: goes with'],
    [
      'an A/B test of nothing',
      { mode: 'TestAb', isAbTest: true },
      'parameters.abTestType: an A/B test needs',
    ],
    [
      'an A/B test of one',
      { mode: 'TestAb', isAbTest: true, abTestType: 'Subject', nbTests: 1 },
      'parameters.nbTests: an A/B test needs at least 2',
    ],
  ])('400 names %s', async (_what, parameters, error) => {
    expect(await withParameters(parameters)).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it.each([
    [
      'parameters.idConfiguration: Sending configuration',
      { parameters: { name: 'a', idConfiguration: 999 } },
    ],
    ['parameters.idTestTarget: Target', { parameters: { name: 'a', idTestTarget: 999 } }],
    ['parameters.idThematic: Thematic', { parameters: { name: 'a', idThematic: 999 } }],
    ['parameters.idCommonAdvertiser: Advertiser', { parameters: { name: 'a', idCommonAdvertiser: 999 } }],
    [
      'parameters.idCommonAffiliatePlatform: Affiliation',
      { parameters: { name: 'a', idCommonAffiliatePlatform: 999 } },
    ],
    ['idDirectory: Directory', { parameters: { name: 'a' }, idDirectory: 999 }],
    [
      'autoHostPicturesIdDirectory: Directory',
      { parameters: { name: 'a' }, autoHostPicturesIdDirectory: 999 },
    ],
    ['idCampDynamic: Campaign', { parameters: { name: 'a' }, idCampDynamic: 999 }],
  ])('404 %s not found, and nothing is kept', async (thing, body) => {
    const count = sql`select count(*) as n from ${t.db.t.campaign}`;
    const before = await t.db.one<{ n: number }>(count);
    expect(await create(body)).toMatchObject({ status: 404, error: `${thing} not found` });
    expect(await t.db.one(count)).toEqual(before);
  });

  it('200 keeps the advertiser and the affiliation platform of its advertisements', async () => {
    const { id: idCommonAdvertiser } = await advertisers.insert(t.db, { name: 'a', sector: 'Food' });
    const site = { name: 'a', webSite: 'https://a.fr/' };
    const { id: idCommonAffiliatePlatform } = await affiliations.insert(t.db, site);
    const reply = await withParameters({ idCommonAdvertiser, idCommonAffiliatePlatform });
    expect(reply).toMatchObject({
      status: 200,
      data: { parameters: { idCommonAdvertiser, idCommonAffiliatePlatform } },
    });
  });

  it('200 with 0 for all that it may name: it names nothing', async () => {
    const parameters = {
      idCommonAffiliatePlatform: 0,
      idCommonAdvertiser: 0,
      idConfiguration: 0,
      idTestTarget: 0,
      idThematic: 0,
    };
    const around = { idCampDynamic: 0, autoHostPicturesIdDirectory: 0, idDirectory: 0 };
    const nothing = (one: object) => Object.fromEntries(Object.keys(one).map((name) => [name, null]));
    const reply = await create({ parameters: { name: 'Spring', ...parameters }, ...around });
    expect(reply).toMatchObject({
      status: 200,
      data: { parameters: nothing(parameters), ...nothing(around) },
    });
    const { id } = reply.data as CampaignReply;
    expect((await t.call('GET', `/campaigns/${id}`)).data).toEqual(reply.data);
  });

  it('422 for a test target that is not one of tests', async () => {
    const idTestTarget = await makeTarget(t.db);
    expect(await withParameters({ idTestTarget })).toMatchObject({
      status: 422,
      error: `parameters.idTestTarget: target ${idTestTarget} is not a test target`,
    });
  });

  it('422 for a template that is not of mode Dynamic', async () => {
    const idCampDynamic = await makeCampaign(t.db);
    expect(await create({ parameters: { name: 'a' }, idCampDynamic })).toMatchObject({
      status: 422,
      error: `idCampDynamic: campaign ${idCampDynamic} is not of mode Dynamic`,
    });
  });

  it('422 for a directory that sorts something else; one of no type sorts anything', async () => {
    const idLink = await insertDirectory(t.db, { name: 'Links', dirType: 'Link' });
    const idAny = await insertDirectory(t.db, { name: 'Any', dirType: 'Unknown' });
    const parameters = { name: 'Spring' };
    expect(await create({ parameters, idDirectory: idLink })).toMatchObject({
      status: 422,
      error: `idDirectory: directory ${idLink} is of type Link; must be of Campaign or Unknown`,
    });
    expect(await create({ parameters, autoHostPicturesIdDirectory: idLink })).toMatchObject({
      status: 422,
      error: `autoHostPicturesIdDirectory: directory ${idLink} is of type Link; must be of Image or Unknown`,
    });
    const both = { idDirectory: idAny, autoHostPicturesIdDirectory: idAny };
    expect((await create({ parameters, ...both })).data).toMatchObject(both);
  });

  it('403 for a reader', async () => {
    expect((await create({ parameters: { name: 'a' } }, 'reader')).status).toBe(403);
  });
});
