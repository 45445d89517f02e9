import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { sql } from './platform/db/sql.ts';
import type { Operation } from './platform/http/operation.ts';
import { type Reply, type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import { digestSite, fillForeignSite, foreignIds, type Ids, unknownIds } from './testing/foreign-records.ts';
import { idPlaces, type Place, withValue } from './testing/id-places.ts';
import { probes } from './testing/isolation-matrix.ts';
import { frozenJob } from './testing/make-sending.ts';
import { makeReceipts } from './testing/make-sent.ts';
import { idsOfNothing, notIds } from './testing/not-ids.ts';
import { ask, makeOwn } from './testing/own-records.ts';

const ofSites = operations.filter((operation) => operation.scope === 'site');

/** Every id that every operation takes, as an id of the site `other`: it must be as good as an id of nobody. */
describe('ids of another site', () => {
  let t: TestApp;
  let before: Record<string, string>;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
    await fillForeignSite(t.otherDb);
    before = await digestSite(t.otherDb);
  });
  afterAll(() => t.close());

  it('the site that is attacked has a row in every table', () => {
    expect(Object.entries(before).filter(([, digest]) => digest.startsWith('0 '))).toEqual([]);
  });

  it('every id that an operation takes is probed; a new one must be told of in testing/isolation-matrix.ts', () => {
    const taken = ofSites.flatMap((operation) =>
      idPlaces(operation, notIds).map((place) => `${operation.id} ${place}`),
    );
    const known = Object.entries(probes).flatMap(([id, of]) =>
      of.flatMap((probe) => Object.keys(probe.ids).map((place) => `${id} ${place}`)),
    );
    expect(taken.filter((one) => !known.includes(one) && !(one in idsOfNothing))).toEqual([]);
    expect(Object.keys(idsOfNothing).filter((one) => !taken.includes(one))).toEqual([]);
    expect(Object.keys(probes).filter((id) => !ofSites.some((operation) => operation.id === id))).toEqual([]);
  });

  const rows = ofSites.flatMap((operation) =>
    (probes[operation.id] ?? []).flatMap((probe) =>
      Object.entries(probe.ids).map(([place, kind]) => ({ id: operation.id, place, kind, operation, probe })),
    ),
  );

  it.each(rows)(
    '$id $place: a foreign $kind is an unknown one',
    async ({ operation, probe, place, kind }) => {
      const own = await makeOwn(t);
      const call = (id: unknown) => {
        const value = probe.areTexts ? String(id) : id;
        return ask(t, operation, withValue(probe.own(own), place as Place, value));
      };
      const foreign = await call(foreignIds[kind]);
      const unknown = await call(unknownIds[kind]);
      expect(said(foreign, foreignIds[kind])).toEqual(said(unknown, unknownIds[kind]));
      expect(await digestSite(t.otherDb)).toEqual(before);
      // The call was refused, or found nothing, because of this id and of nothing else.
      await prepare(t, operation, own);
      const answer = await ask(t, operation, probe.own(own));
      expect([answer.error, answer.status]).toEqual([null, 200]);
      expect(said(answer, own[kind])).not.toEqual(said(unknown, unknownIds[kind]));
    },
  );

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

/** What must come before a call that only works then. */
async function prepare({ db, call }: TestApp, operation: Operation, own: Ids): Promise<void> {
  if (operation.id === 'pauseCampaign' || operation.id === 'stopCampaign') {
    const path = `/campaigns/${own.campaign}/schedule/calendar`;
    expect(await call('POST', path, { body: ['2030-01-01T08:00:00'] })).toMatchObject({ error: null });
  }
  if (operation.id === 'sendCampaignNow') {
    await makeReceipts(db, Number(own.job), Number(own.sent), { accepted: [Number(own.subscriber)] });
  }
  if (operation.id.startsWith('pregenerate')) {
    const frozen = frozenJob(db, Number(own.campaign), Number(own.job), Number(own.sent));
    await db.run(sql`
      update ${db.t.job} set state = 'Paused', frozen = ${JSON.stringify(frozen)}::jsonb where id = ${own.job}`);
    await db.run(
      sql`update ${db.t.sending} set id_segment = ${own.segment} where id_campaign = ${own.campaign}`,
    );
  }
  if (operation.id === 'resendToFailed') {
    // The segment of its sending, as the generation makes it.
    await db.run(
      sql`update ${db.t.sending} set id_segment = ${own.segment} where id_campaign = ${own.campaign}`,
    );
    await makeReceipts(db, Number(own.job), Number(own.sent), {
      accepted: [],
      refused: [Number(own.subscriber)],
    });
  }
  if (operation.id === 'getArchivedSubscribers') {
    await call('DELETE', '/subscribers', { query: { idSubscribers: [own.subscriber] } });
  }
  if (operation.id === 'deleteTarget') {
    await db.run(sql`delete from ${db.t.segment} where id_target = ${own.target}`);
  }
}

/** What a caller learns; the id that they sent may be in it. */
function said({ status, data, error }: Reply, sent: number | string): string {
  return JSON.stringify({ status, data, error }).replaceAll(
    new RegExp(`(?<![\\w.])${sent}(?!\\w)`, 'g'),
    '<id>',
  );
}
