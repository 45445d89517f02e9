import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { advertisers } from '../../contents/advertiser-store.ts';
import { affiliations } from '../../contents/affiliation-store.ts';
import { insertDirectory } from '../../contents/directory-store.ts';
import { insertThematic } from '../../contents/thematic-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeTarget } from '../../testing/campaign-makers.ts';
import { type CampaignReply, emptyCampaign } from '../campaign.ts';
import { setScheduleState } from '../campaign-store.ts';
import { campaignsOperations as operations } from '../operations.ts';
import type { ScheduleState } from '../schedule-state.ts';
import { listLinks, untrack } from '../tracked-link-store.ts';

describe('modifyCampaign', () => {
  let t: TestApp;
  let id: number;
  let before: CampaignReply;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    id = await makeCampaign(t.db, { parameters: { sendingSpeed: 100 }, textContent: 'Hello' });
    before = await read();
  });

  const read = async (): Promise<CampaignReply> => (await t.call('GET', `/campaigns/${id}`)).data;
  const modify = (body: unknown, query = {}) => t.call('PUT', '/campaigns', { body, query, as: 'editor' });

  it('200 true, changing only what is given', async () => {
    const reply = await modify({ id, parameters: { subject: 'Later', senderAlias: null } });
    expect(reply).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect(await read()).toEqual({
      ...before,
      parameters: { ...before.parameters, subject: 'Later' },
      lastUpdateDate: '2026-11-20T10:00:00.000Z',
    });
  });

  it('200 with an empty text empties', async () => {
    await modify({ id, parameters: { subject: '' }, textContent: '' });
    expect(await read()).toMatchObject({ parameters: { subject: '' }, textContent: '' });
  });

  it('200 with 0 removes what it names, one by one; null and what is omitted change nothing', async () => {
    const { idConfiguration } = before.parameters;
    const { id: idCommonAdvertiser } = await advertisers.insert(t.db, { name: 'a', sector: 'Food' });
    const site = { name: 'a', webSite: 'https://a.fr/' };
    const { id: idCommonAffiliatePlatform } = await affiliations.insert(t.db, site);
    const thematic = { idParentThematic: null, name: 't', description: '', isEnabled: true };
    const parameters: Record<string, number | null> = {
      idCommonAffiliatePlatform,
      idCommonAdvertiser,
      idConfiguration,
      idTestTarget: await makeTarget(t.db, { isTestTarget: true }),
      idThematic: await insertThematic(t.db, thematic),
    };
    const around: Record<string, number | null> = {
      idCampDynamic: await makeCampaign(t.db, { parameters: { mode: 'Dynamic' } }),
      autoHostPicturesIdDirectory: await insertDirectory(t.db, { name: 'd', dirType: 'Image' }),
      idDirectory: await insertDirectory(t.db, { name: 'd', dirType: 'Campaign' }),
    };
    const same = (one: object, value: null) => Object.fromEntries(Object.keys(one).map((n) => [n, value]));
    await modify({ id, parameters, ...around });
    expect((await modify({ id, parameters: same(parameters, null), ...same(around, null) })).status).toBe(
      200,
    );
    expect(await read()).toMatchObject({ parameters, ...around });
    for (const name of Object.keys(parameters)) {
      expect((await modify({ id, parameters: { [name]: 0 } })).status).toBe(200);
      parameters[name] = null;
      expect(await read()).toMatchObject({ parameters, ...around });
    }
    for (const name of Object.keys(around)) {
      expect((await modify({ id, parameters: {}, [name]: 0 })).status).toBe(200);
      around[name] = null;
      expect(await read()).toMatchObject({ parameters, ...around });
    }
  });

  it('200 out of its directory with 0: lists by it find it no more', async () => {
    const idDirectory = await insertDirectory(t.db, { name: 'Out of', dirType: 'Campaign' });
    await modify({ id, parameters: {}, idDirectory });
    const listed = async () => {
      const query = { 'filter.location': String(idDirectory), 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
      const { totalCount }: { totalCount: number } = (await t.call('GET', '/campaigns', { query })).data;
      return totalCount;
    };
    expect(await listed()).toBe(1);
    const out = { id, parameters: {}, idDirectory: 0 };
    expect((await modify(out, { returnInformations: true })).data).toMatchObject({ idDirectory: null });
    expect(await listed()).toBe(0);
  });

  it('200 with updateMode, putting back to the defaults what is omitted', async () => {
    await modify({ id, parameters: { name: 'Summer' }, htmlContent: '<b>1</b>' }, { updateMode: true });
    expect(await read()).toMatchObject({
      parameters: { ...emptyCampaign.parameters, name: 'Summer' },
      htmlContent: '<b>1</b>',
      textContent: '',
    });
  });

  it('200 with returnInformations answers the campaign', async () => {
    const reply = await modify({ id, parameters: { name: 'Summer' } }, { returnInformations: true });
    expect(reply.typeName).toBe('Campaign');
    expect(reply.data).toEqual(await read());
  });

  it('200 with trackAllLinks tracks the links of the new contents, including untracked ones', async () => {
    const link = (n: number) => `<a href="https://example.com/${n}">x</a>`;
    const track = { trackAllLinks: true, returnInformations: true };
    await modify({ id, parameters: {}, htmlContent: link(1) }, track);
    const [first] = await listLinks(t.db, id);
    await untrack(t.db, id, first!.id);
    const reply = await modify({ id, parameters: {}, htmlContent: link(1) + link(2) }, track);
    expect(reply.data).toMatchObject({ isTracked: true });
    expect((await listLinks(t.db, id)).map((one) => [one.url, one.isTracked])).toEqual([
      ['https://example.com/1', true],
      ['https://example.com/2', true],
    ]);
  });

  it('200 takes back what was read', async () => {
    expect((await modify(before)).status).toBe(200);
    expect(await read()).toEqual({ ...before, lastUpdateDate: '2026-11-20T10:00:00.000Z' });
  });

  it('200 for ten at once, one after the other: no change is lost', async () => {
    const members = ['subject', 'senderAlias', 'responseAlias', 'name'];
    const replies = await Promise.all(
      members.map((name) => modify({ id, parameters: { [name]: `new ${name}` } })),
    );
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    expect((await read()).parameters).toMatchObject(Object.fromEntries(members.map((m) => [m, `new ${m}`])));
  });

  it.each([
    ['no id', { parameters: {} }, {}, 'id: is required'],
    ['the id 0', { id: 0, parameters: {} }, {}, 'id: is required'],
    ['no parameters', { id: 1 }, {}, 'parameters: is required'],
    [
      'an updateMode without a name',
      { id: 1, parameters: {} },
      { updateMode: true },
      'parameters.name: is required',
    ],
    [
      'an unknown query member',
      { id: 1, parameters: {} },
      { updatemode: true },
      'updatemode: unknown member',
    ],
  ])('400 names %s', async (_what, body, query, error) => {
    const named = 'id' in body && body.id === 1 ? { ...body, id } : body;
    expect(await modify(named, query)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
    expect(await read()).toEqual(before);
  });

  it('404 for an unknown campaign', async () => {
    expect(await modify({ id: 999_999, parameters: {} })).toMatchObject({
      status: 404,
      error: 'Campaign not found',
    });
  });

  it('422 for a target that is not a test target, without any change', async () => {
    const idTestTarget = await makeTarget(t.db);
    expect(await modify({ id, parameters: { subject: 'New', idTestTarget } })).toMatchObject({
      status: 422,
      error: `parameters.idTestTarget: target ${idTestTarget} is not a test target`,
    });
    expect(await read()).toEqual(before);
  });

  it('200 when a record that it names no longer exists since; those that a call changes are checked', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true });
    expect((await modify({ id, parameters: { idTestTarget } })).status).toBe(200);
    const { target, sending_configuration } = t.db.t;
    await t.db.run(sql`update ${target} set is_test_target = false where id = ${idTestTarget}`);
    expect((await modify({ id, parameters: { subject: 'No tester' } })).error).toBe(null);
    await t.db.run(sql`update ${target} set deleted_at = now() where id = ${idTestTarget}`);
    const { idConfiguration } = before.parameters;
    await t.db.run(sql`delete from ${sending_configuration} where id = ${idConfiguration}`);
    expect((await modify({ id, parameters: { subject: 'No target' } })).error).toBe(null);
    const found = await read();
    expect(found.parameters).toMatchObject({ subject: 'No target', idTestTarget, idConfiguration });
    expect((await modify({ ...found, textContent: 'As it was read' }, { updateMode: true })).error).toBe(
      null,
    );
    for (const [parameters, error] of [
      [{ idTestTarget: 999_999 }, 'parameters.idTestTarget: Target not found'],
      [{ idConfiguration: 999_999 }, 'parameters.idConfiguration: Sending configuration not found'],
    ] as const)
      expect(await modify({ id, parameters })).toMatchObject({ status: 404, error });
  });

  it('409 while it is sent or paused, and only then', async () => {
    const statuses: [ScheduleState, number][] = [];
    for (const state of ['Programmed', 'InProgress', 'Paused', 'Stopped'] as const) {
      await setScheduleState(t.db, id, state);
      statuses.push([state, (await modify({ id, parameters: { subject: state } })).status]);
    }
    expect(statuses).toEqual([
      ['Programmed', 200],
      ['InProgress', 409],
      ['Paused', 409],
      ['Stopped', 200],
    ]);
  });
});
