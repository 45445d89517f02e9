import { afterAll, beforeAll, expect, it } from 'vitest';
import { bounceClasses } from '../activity/bounce.ts';
import { countersOfSents } from '../activity/counter-store.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { Hold } from '../testing/hold.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { until } from '../testing/until.ts';
import { recordReport } from './record-report.ts';
import type { Report } from './report.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

async function makeSubscriber(): Promise<number> {
  const { id } = await t.db.one<{ id: number }>(sql`
    insert into ${t.db.t.subscriber} (fld1) values (gen_random_uuid() || '@example.test') returning fld0 as id`);
  return id;
}

const noMailbox: Report = {
  kind: 'dsn',
  action: 'failed',
  status: '5.1.1',
  diagnostic: 'no such user',
  isServerReply: true,
  subject: '',
  messageId: '<1@mx.test>',
};
const report = (idSent: number, idSubscriber: number, said: Partial<Report> = {}) => {
  const of = { idSite: t.db.site.id, idSent, idSubscriber };
  return recordReport(t.app, { ...noMailbox, ...said }, of, t.clock.now());
};
const figures = async (idSent: number) => (await countersOfSents(t.db, [idSent])).get(idSent);
const bouncedOnce = { nbAddressSent: 1, nbHardBounces: 1, nbTotalBounces: 1, nbDelivered: 0 };

it('a report that waits for its subscriber delays no receipts, and counts by those that came first', async () => {
  const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending' });
  const [idSent, id] = [idsSent[0]!, await makeSubscriber()];
  // As an import does that writes to them.
  const hisRow = sql`select from ${t.db.t.subscriber} where fld0 = ${raw(String(id))} for update`;
  const hold = await Hold.of(t.connection, hisRow.text);
  const reporting = report(idSent, id);
  await hold.reached();
  await makeReceipts(t.db, idJob, idSent, { accepted: [id] });
  expect(await figures(idSent)).toMatchObject({ nbAddressSent: 1, nbTotalBounces: 0, nbDelivered: 1 });
  await hold.letGo();
  expect(await reporting).toBe(bounceClasses.hard);
  expect(await figures(idSent)).toMatchObject(bouncedOnce);
});

it('a report that comes while receipts are being recorded counts by them', async () => {
  const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending' });
  const [idSent, id] = [idsSent[0]!, await makeSubscriber()];
  const waiting = sql`
    select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
  const reporting = await t.db.transaction(async (tx) => {
    await makeReceipts(tx, idJob, idSent, { accepted: [id] });
    // However slow the machine is.
    await tx.run(sql`set local idle_in_transaction_session_timeout = 0`);
    const promise = report(idSent, id);
    await until(async () => (await t.db.rows(waiting)).length === 1, 'the report waits for the receipts');
    // Not the promise itself, or the transaction would wait for what waits for it.
    return { promise };
  });
  expect(await reporting.promise).toBe(bounceClasses.hard);
  expect(await figures(idSent)).toMatchObject(bouncedOnce);
});

it('marks the subscriber whatever the outcome of their message, and the gravest of two reports counts', async () => {
  const { idJob, idsSent } = await makeJob(t.db);
  const [idSent, id] = [idsSent[0]!, await makeSubscriber()];
  await makeReceipts(t.db, idJob, idSent, { accepted: [], refused: [id] });
  const state = () => t.db.one(sql`select fld44 as state from ${t.db.t.subscriber} where fld0 = ${id}`);
  expect(await report(idSent, id, { status: '4.2.2' })).toBe(bounceClasses.soft);
  expect(await state()).toEqual({ state: 1 });
  expect(await figures(idSent)).toMatchObject({ nbAddressSent: 1, nbSoftBounces: 1, nbDelivered: 0 });
  expect(await report(idSent, id)).toBe(bounceClasses.hard);
  expect(await report(idSent, id)).toBeNull();
  expect(await state()).toEqual({ state: 2 });
  expect(await figures(idSent)).toMatchObject({ ...bouncedOnce, nbSoftBounces: 0 });
});
