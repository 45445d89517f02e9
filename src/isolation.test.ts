import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { pauseImportRow } from './imports/import-store.ts';
import { sql } from './platform/db/sql.ts';
import { type Reply, type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import { digestSite, type ForeignIds, fillForeignSite } from './testing/foreign-records.ts';
import { hasPlace, recordPlaces, undeclaredIds, withValue } from './testing/id-places.ts';
import { callOf, valueAt } from './testing/isolation-calls.ts';
import { frozenJob } from './testing/make-sending.ts';
import { makeReceipts } from './testing/make-sent.ts';
import { ask, type Ids, makeOwn } from './testing/own-records.ts';

const ofSites = operations.filter((operation) => operation.scope === 'site');

/** Every id that every operation takes, as an id of the site `other`: it must be as good as an id of nobody. */
describe('ids of another site', () => {
  let t: TestApp;
  let ids: ForeignIds;
  let before: Record<string, string>;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
    ids = await fillForeignSite(t);
    before = await digestSite(t.otherDb);
  });
  afterAll(() => t.close());

  it('the site that is attacked has a row in every table', () => {
    expect(Object.entries(before).filter(([, digest]) => digest.startsWith('0 '))).toEqual([]);
  });

  it('every member that is named as an id declares its record', () => {
    const undeclared = operations.flatMap((operation) =>
      undeclaredIds(operation).map((place) => `${operation.id} ${place}`),
    );
    expect(undeclared.filter((one) => !(one in idsOfNothing))).toEqual([]);
    const declared = ofSites.flatMap((operation) =>
      recordPlaces(operation).map(({ place }) => `${operation.id} ${place}`),
    );
    expect(Object.keys(idsOfNothing).filter((one) => ![...undeclared, ...declared].includes(one))).toEqual(
      [],
    );
  });

  const rows = ofSites
    .flatMap((operation) => recordPlaces(operation).map((at) => ({ id: operation.id, operation, at, ...at })))
    .filter(({ id, place }) => !(`${id} ${place}` in idsOfNothing));

  it.each(rows)('$id $place: a foreign $record is an unknown one', async ({ operation, at, place }) => {
    const own = await makeOwn(t);
    const call = callOf(operation, own, place);
    const isGiven = hasPlace(call, place);
    const another = isGiven ? own : await makeOwn(t);
    const replies = async (ofRecords: Ids) => {
      const value = valueAt(at, ofRecords);
      return said(await ask(t, operation, withValue(call, place, value)), value);
    };
    const foreign = await replies(ids.foreign);
    const unknown = await replies(ids.unknown);
    expect(foreign).toEqual(unknown);
    expect(await digestSite(t.otherDb)).toEqual(before);
    // The call was refused, or found nothing, because of this id and of nothing else.
    await preparations[operation.id]?.(t, own, another);
    const fitting = needsSame.has(place) ? own : another;
    const right = isGiven ? call : withValue(call, place, valueAt(at, fitting));
    const answer = await ask(t, operation, right);
    expect([answer.error, answer.status]).toEqual([null, 200]);
    expect(said(answer, valueAt(at, fitting))).not.toEqual(unknown);
  });

  it.each([
    ['getSubscribers', 'Email', 'email'],
    ['getSubscribers', 'IdClient', 'subscriber'],
    ['getArchivedSubscribers', 'Email', 'email'],
  ] as const)('%s by %s: a foreign subscriber is an unknown one', async (id, by, kind) => {
    const operation = ofSites.find((one) => one.id === id)!;
    const own = await makeOwn(t);
    const call = callOf(operation, own);
    const found = async (ofRecords: Ids) => {
      const query = { ...call.query, 'filter.by': by, 'filter.values': [ofRecords[kind]] };
      return (await ask(t, operation, { query })).data;
    };
    expect(await found(ids.foreign)).toEqual([null]);
    expect(await found(ids.unknown)).toEqual([null]);
    await preparations[id]?.(t, own, own);
    expect(await found(own)).toMatchObject([{ id: own.subscriber }]);
  });

  it('nothing of the other site was put into the queue of jobs or offered to the engine', async () => {
    const { pool } = t.app.control;
    const jobs = await pool.query(
      `select from graphile_worker._private_jobs where (payload ->> 'idSite')::int = $1`,
      [t.otherDb.site.id],
    );
    const offered = await pool.query('select from facteur.sending_job where id_site = $1', [
      t.otherDb.site.id,
    ]);
    expect([jobs.rowCount, offered.rowCount]).toEqual([0, 0]);
  });
});

/** Ids that belong to the other records of the call. */
const needsSame: ReadonlySet<string> = new Set([
  'query.afterJob',
  'body.idAdvertisementInSegment',
  'query.idLink',
  'query.idJob',
  'query.idSent',
  'body.clientId',
]);

type Preparation = (t: TestApp, own: Ids, another: Ids) => Promise<unknown>;

const schedule: Preparation = async ({ call }, own) => {
  const path = `/campaigns/${own.campaign}/schedule/calendar`;
  expect(await call('POST', path, { body: ['2030-01-01T08:00:00'] })).toMatchObject({ error: null });
};
/** The segment of its sending, as the generation makes it. */
const nameSegment: Preparation = ({ db }, own) =>
  db.run(sql`update ${db.t.sending} set id_segment = ${own.segment} where id_campaign = ${own.campaign}`);
const freeze: Preparation = async (t, own, another) => {
  const { db } = t;
  const frozen = frozenJob(db, own.campaign, own.job, own.sent);
  await db.run(sql`
    update ${db.t.job} set state = 'Paused', frozen = ${JSON.stringify(frozen)}::jsonb where id = ${own.job}`);
  await nameSegment(t, own, another);
};
/** Campaigns that are to be of the mode Dynamic. */
const makeDynamic: Preparation = ({ db }, _own, { campaign }) =>
  db.run(
    sql`update ${db.t.campaign} set parameters = parameters || '{"mode": "Dynamic"}' where id = ${campaign}`,
  );

/** Preparations of calls that only succeed after them. */
const preparations: Readonly<Record<string, Preparation>> = {
  pauseCampaign: schedule,
  stopCampaign: schedule,
  pregenerateHtml: freeze,
  pregenerateSendingHtml: freeze,
  createCampaign: makeDynamic,
  modifyCampaign: makeDynamic,
  modifyCampaignFields: makeDynamic,
  resumeImport: ({ db }, own) => pauseImportRow(db, own.import),
  sendCampaignNow: ({ db }, { job, sent, subscriber }) =>
    makeReceipts(db, job, sent, { accepted: [subscriber] }),
  resendToFailed: async (t, own, another) => {
    await nameSegment(t, own, another);
    await makeReceipts(t.db, own.job, own.sent, { accepted: [], refused: [own.subscriber] });
  },
  getArchivedSubscribers: ({ call }, { subscriber }) =>
    call('DELETE', '/subscribers', { query: { idSubscribers: [subscriber] } }),
  deleteTarget: ({ db }, { target }) => db.run(sql`delete from ${db.t.segment} where id_target = ${target}`),
};

/** Members that are named as ids and name no record, each with why. */
const idsOfNothing: Readonly<Record<string, string>> = {
  'listCampaigns query.filter.idAuthor': 'a user of the installation; only campaigns of this site are listed',
  'countCampaigns query.filter.idAuthor':
    'a user of the installation; only campaigns of this site are counted',
  'listStatisticsPeople query.idFai': 'a mailbox provider of the installation',
  'listServerReplies query.idFai': 'a mailbox provider of the installation',
  'listRecentProviderPeople query.idsFai[]': 'mailbox providers of the installation',
  'createThematic body.idThematic': 'ignored: the service gives it',
  'createCampaign body.id': 'ignored: the service gives it',
  'createField body.id': 'refused: the service gives it',
  'setGeolocationFilter body.departmentIds': 'departments of France',
  'countUnsavedTarget body.filters.geolocation.departmentIds': 'departments of France',
  'createTargetWithFilters body.filters.geolocation.departmentIds': 'departments of France',
  'listUnsavedTargetPeople body.filters.geolocation.departmentIds': 'departments of France',
  'modifyCampaignFields body.fields.id_campType': 'a word, or its number',
  'modifyCampaignFields body.fields.id_campMode': 'a word, or its number',
  'modifyCampaignFields body.fields.id_campaign': 'refused: it does not change',
  'modifyCampaignFields body.fields.id_user': 'refused: it does not change',
  'modifyCampaignFields body.fields.id_planning': 'refused: nothing is planned so',
  'modifyCampaignFields body.fields.id_prog': 'refused: there are no programs',
  'modifyCampaignFields body.fields.id_site_brand': 'refused: a site has one brand',
};

/** The response as a caller sees it, without the id that they sent. */
function said({ status, data, error }: Reply, sent: number | string): string {
  return JSON.stringify({ status, data, error }).replaceAll(
    new RegExp(`(?<![\\w.])${sent}(?!\\w)`, 'g'),
    '<id>',
  );
}
