import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSubscribers } from '../testing/campaign-makers.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../testing/make-sent.ts';
import { targetsOperations } from './operations.ts';

/** The activity filters through their operations, on a site with recorded activity. */
describe('filters on activity', () => {
  let t: TestApp;
  let idCampaign: number;
  let idSent: number;
  let idTest: number;
  let idThematic: number;

  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await makeSubscribers(t.db, [1, 2, 3, 4]);
    const job = await makeJob(t.db, { campaignName: 'Rentrée' });
    const test = await makeJob(t.db, { idCampaign: job.idCampaign, isTest: true });
    [idCampaign, idSent, idTest] = [job.idCampaign, job.idsSent[0]!, test.idsSent[0]!];
    const thematic = await t.db.one<{ id: number }>(
      sql`insert into ${t.db.t.thematic} (name, is_enabled) values ('Sport', false) returning id`,
    );
    idThematic = thematic.id;
    await t.db.run(sql`
      update ${t.db.t.campaign} set parameters = parameters || ${JSON.stringify({ idThematic })}::jsonb`);
    const at = new Date('2026-11-19T10:00:00Z');
    await makeReceipts(t.db, job.idJob, idSent, { accepted: [1, 2, 3], at });
    await makeHits(t.db, [
      makeHit(idSent, 1, 1, { at }),
      makeHit(idSent, 1, 1, { at }),
      makeHit(idSent, 2, 1, { at }),
    ]);
  });
  afterAll(() => t.close());

  const create = async (): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'a' } })).data as { id: number }).id;
  const set = (kind: string, body: object) => t.call('PUT', `/targets/filters/${kind}`, { body });
  const get = (kind: string, id: number) => t.call('GET', `/targets/${id}/filters/${kind}`, { as: 'reader' });
  const idsOf = async (id: number) => (await t.call('GET', `/targets/${id}/subscriber-ids`)).data;

  const cases = [
    {
      kind: 'behaviour',
      flag: 'hasBehaviourFilter',
      enabled: 'isEnabled',
      given: () => ({
        action: 'Open',
        behaviourType: 'Sent',
        idSentList: String(idSent),
        didAnAction: false,
      }),
      shown: () => ({
        idSentList: String(idSent),
        idSentNames: 'Rentrée – All',
        nbTime: '1',
        nbDaysAgo: null,
      }),
      ids: [3, 4],
      said: 'n’a pas ouvert l’envoi <b>Rentrée – All</b>',
    },
    {
      kind: 'thematic',
      flag: 'hasThematicFilter',
      enabled: 'isFilterEnabled',
      given: () => ({
        fromNbDays: 1,
        action: 'Open',
        idsThematics: [idThematic],
        nbTime: '2',
        nbTimeAndDayOperator: 'AtLeast',
      }),
      shown: () => ({ idsThematics: [idThematic], combinaison: 'Union', didAnAction: true }),
      ids: [1],
      said: 'a ouvert <b>au moins 2 fois</b> des campagnes de la thématique <b>Sport</b>',
    },
    {
      kind: 'sending',
      flag: 'hasSendingFilter',
      enabled: 'isFilterEnabled',
      given: () => ({ isFilterEnabled: true, hasReceived: true, idsCampaigns: String(idCampaign) }),
      shown: () => ({
        hasReceived: true,
        idsCampaigns: String(idCampaign),
        idSentList: null,
        idSentNames: null,
      }),
      ids: [1, 2, 3],
      said: 'a reçu la campagne <b>Rentrée</b>',
    },
    {
      kind: 'email-pressure',
      flag: 'hasEmailPressureFilter',
      enabled: 'isFilterEnabled',
      given: () => ({ operatorRequest: 'LOWER', nbRequest: 1, type: 'Since', fromTime: 1, timeType: 2 }),
      shown: () => ({ type: 'Since', fromTime: 1, timeType: 2, campaignType: null, thisWeek: null }),
      ids: [4],
      said: 'n’a reçu <b>aucun message</b> <b>hier ou aujourd’hui</b>',
    },
  ] as const;

  it.each(cases)('200 sets, shows, selects by, describes and copies a $kind filter', async (one) => {
    const idTarget = await create();
    const reply = await set(one.kind, { idTarget, ...one.given() });
    expect(reply).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect((await get(one.kind, idTarget)).data).toMatchObject({
      idTarget,
      [one.enabled]: true,
      ...one.shown(),
    });
    expect(await idsOf(idTarget)).toEqual(one.ids);
    expect((await t.call('GET', `/targets/${idTarget}`)).data).toMatchObject({
      [one.flag]: true,
      isSafe: false,
    });
    expect((await t.call('GET', `/targets/${idTarget}/description`)).data).toContain(one.said);
    const copy = (await t.call('POST', '/targets/duplicate', { body: idTarget })).data as { id: number };
    expect((await get(one.kind, copy.id)).data).toEqual({
      ...(await shownOf(one.kind, idTarget)),
      idTarget: copy.id,
    });
    expect(await idsOf(copy.id)).toEqual(one.ids);
  });

  const shownOf = async (kind: string, id: number): Promise<object> => (await get(kind, id)).data;

  it.each(cases)('200 takes back what get shows of a $kind filter, and disables it', async (one) => {
    const idTarget = await create();
    await set(one.kind, { idTarget, ...one.given() });
    const shown = await shownOf(one.kind, idTarget);
    expect(await set(one.kind, { ...shown, [one.enabled]: false })).toMatchObject({
      status: 200,
      data: true,
    });
    expect(await shownOf(one.kind, idTarget)).toEqual({ ...shown, [one.enabled]: false });
    expect(await idsOf(idTarget)).toEqual([1, 2, 3, 4]);
  });

  it.each(cases)('200 with nothing where a target has no $kind filter, which sets nothing', async (one) => {
    const idTarget = await create();
    const { status, data } = await get(one.kind, idTarget);
    expect([status, data]).toEqual([200, expect.objectContaining({ idTarget, [one.enabled]: false })]);
    await set(one.kind, { idTarget, ...one.given() });
    expect(await set(one.kind, data)).toMatchObject({ status: 200, data: true });
    expect(await shownOf(one.kind, idTarget)).toEqual(data);
    expect((await t.call('GET', `/targets/${idTarget}`)).data).toMatchObject({ [one.flag]: false });
  });

  it.each<[string, object, string]>([
    ['behaviour', { action: 'Read', behaviourType: 'NbDays' }, 'action: must be one of Click, Open'],
    [
      'behaviour',
      { action: 'Open', behaviourType: 'Days' },
      'behaviourType: must be one of NbDays, Sent, Campaign',
    ],
    [
      'behaviour',
      { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 181 },
      'nbDaysAgo: must be at most 180',
    ],
    [
      'behaviour',
      { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: -1 },
      'nbDaysAgo: must be at least 0',
    ],
    [
      'behaviour',
      { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 1, nbTime: 3 },
      'nbTime: must be a string',
    ],
    ['behaviour', { action: 'Open', behaviourType: 'Sent', idSentList: 7 }, 'idSentList: must be a string'],
    [
      'behaviour',
      { nbTimeAndDayOperator: 'LessThan' },
      'nbTimeAndDayOperator: must be one of AtLeast, Exactly',
    ],
    ['behaviour', { combinaisonMode: 'Any' }, 'combinaisonMode: must be one of Union, Intersection'],
    ['behaviour', { idSents: '1' }, 'idSents: unknown member'],
    ['thematic', { action: 'Open', idsThematics: [1] }, 'fromNbDays: is required'],
    ['thematic', { fromNbDays: 181, action: 'Open', idsThematics: [1] }, 'fromNbDays: must be at most 180'],
    ['thematic', { fromNbDays: 1, action: 'Open', idsThematics: '1' }, 'idsThematics: must be an array'],
    ['thematic', { fromNbDays: 1, action: 'Open', idsThematics: [0] }, 'idsThematics[0]: must be at least 1'],
    ['sending', { hasReceived: true, idSentList: '1' }, 'isFilterEnabled: is required'],
    ['sending', { isFilterEnabled: true, idSentList: '1' }, 'hasReceived: is required'],
    ['sending', { isFilterEnabled: null, hasReceived: true }, 'isFilterEnabled: must be a boolean'],
    ['email-pressure', { type: 'Yesterday' }, 'type: must be one of Today, Since, Between, ByWeek'],
    ['email-pressure', { type: 'Today', operatorRequest: '>' }, 'operatorRequest: must be one of GREATER'],
    [
      'email-pressure',
      { type: 'Today', operatorRequest: 'EQUAL', nbRequest: -1 },
      'nbRequest: must be at least 0',
    ],
    ['email-pressure', { type: 'Between', betweenStartDate: '2026-11-20' }, 'betweenStartDate: must be'],
    [
      'email-pressure',
      { type: 'Since', timeType: 3 },
      'timeType: must be 0 (the same as omitted), 1 (hours) or 2 (days)',
    ],
    ['email-pressure', { type: 'ByWeek', thisWeek: 1 }, 'thisWeek: must be a boolean'],
  ])('400 for a %s filter %j', async (kind, given, error) => {
    expect(await set(kind, { idTarget: await create(), ...given })).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it('400 for a test mailing, and leaves the existing filter unchanged', async () => {
    const idTarget = await create();
    const given = { idTarget, action: 'Open', behaviourType: 'Sent' };
    await set('behaviour', { ...given, idSentList: String(idSent) });
    const before = await shownOf('behaviour', idTarget);
    const reply = await set('behaviour', { ...given, idSentList: String(idTest) });
    expect(reply).toMatchObject({
      status: 400,
      error: expect.stringContaining(`sending ${idTest} is a test mailing`),
    });
    expect(await shownOf('behaviour', idTarget)).toEqual(before);
  });

  it.each<[string, object, string]>([
    [
      'behaviour',
      { action: 'Open', behaviourType: 'Sent', idSentList: '99999' },
      'idSentList: Sent 99999 not found',
    ],
    [
      'behaviour',
      { action: 'Open', behaviourType: 'Campaign', idCampaign: '99999' },
      'Campaign 99999 not found',
    ],
    ['thematic', { fromNbDays: 1, action: 'Open', idsThematics: [99_999] }, 'Thematic 99999 not found'],
    [
      'sending',
      { isFilterEnabled: true, hasReceived: true, idsCampaigns: '99999' },
      'Campaign 99999 not found',
    ],
  ])('404 for a %s filter on something that is not there: %j', async (kind, given, error) => {
    expect(await set(kind, { idTarget: await create(), ...given })).toMatchObject({
      status: 404,
      error: expect.stringContaining(error),
    });
  });

  it.each(cases)('404 for a $kind filter of an unknown target', async ({ kind, given }) => {
    expect(await set(kind, { idTarget: 99_999, ...given() })).toMatchObject({
      status: 404,
      error: 'Target not found',
    });
    expect(await get(kind, 99_999)).toMatchObject({ status: 404, error: 'Target not found' });
  });

  it('200 joins all filters of a target by AND', async () => {
    const idTarget = await create();
    for (const { kind, given } of cases.slice(0, 3)) await set(kind, { idTarget, ...given() });
    expect(await idsOf(idTarget)).toEqual([]);
    await set('behaviour', { idTarget, action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 1 });
    expect(await idsOf(idTarget)).toEqual([1]);
  });

  it('the sending filter selects recipients by why a message did not reach them', async () => {
    await makeSubscribers(t.db, [11, 12, 13, 14, 15, 16, 17]);
    const first = await makeJob(t.db, { campaignName: 'Failing' });
    const { idCampaign: id } = first;
    const states = { accepted: [11], refused: [12, 13], expired: [14], uncertain: [15] };
    await makeReceipts(t.db, first.idJob, first.idsSent[0]!, states);
    // A resend reached 13; another sending is still running and has deferred 17.
    const resend = await makeJob(t.db, { idCampaign: id });
    await makeReceipts(t.db, resend.idJob, resend.idsSent[0]!, { accepted: [13] });
    const at = new Date('2026-11-19T10:00:00Z');
    await makeOpenRange(t.db, resend.idJob, resend.idsSent[0]!, { subscribers: [17], accepted: [], at });
    await t.db.run(sql`
      update ${t.db.t.send_log} set states = '{2}' where id_job = ${resend.idJob}`);
    const selected = async (recipientStates: string, of: object = { idsCampaigns: String(id) }) => {
      const idTarget = await create();
      const body = { idTarget, isFilterEnabled: true, hasReceived: false, recipientStates, ...of };
      expect(await set('sending', body)).toMatchObject({ status: 200 });
      expect((await get('sending', idTarget)).data).toMatchObject({ recipientStates });
      return idsOf(idTarget);
    };
    expect(await selected('Refused')).toEqual([12, 17]);
    expect(await selected('Expired')).toEqual([14]);
    expect(await selected('Uncertain')).toEqual([15]);
    expect(await selected('Refused;Expired')).toEqual([12, 14, 17]);
    // In this sending alone, 13 was refused and not reached.
    expect(await selected('Refused', { idSentList: String(first.idsSent[0]) })).toEqual([12, 13]);
    const both = `${first.idsSent[0]};${resend.idsSent[0]}`;
    expect(await selected('Refused', { idSentList: both, combinaisonMode: 'Intersection' })).toEqual([]);
  });
});
