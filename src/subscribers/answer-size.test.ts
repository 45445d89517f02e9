import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeField } from '../fields/field.ts';
import { insertField } from '../fields/field-store.ts';
import { join, raw, sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import type { Subscriber } from './subscriber.ts';

const texts = 40;
const tooLong = 'The response would exceed 32000000 characters; name fewer subscribers in a call';

/** Somebody with 400,000 characters: 80 times them is as much as an answer holds. */
describe('answers with subscribers of long texts', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    for (let n = 1; n <= texts; n++)
      await insertField(t.db, texts, (id) =>
        makeField(id, { name: `t${n}`, fieldType: 'Text', length: 10_000 }),
      );
    const body = [person('long@example.com'), person('short@example.com', 'x')];
    expect(await t.call('POST', '/subscribers', { body })).toMatchObject({ status: 200 });
  });
  afterAll(() => t.close());

  const person = (email: string, text = 'x'.repeat(10_000)) => ({
    fields: [
      { idField: 1, value: email },
      ...Array.from({ length: texts }, (_, i) => ({ idField: 101 + i, value: text })),
    ],
  });
  const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
  const ask = (path: string, values: string[], more: Record<string, string> = {}) =>
    t.call('GET', path, { query: { 'filter.by': 'IdSubscriber', 'filter.values': values, ...more } });
  const points = async () =>
    (await t.db.rows<{ fld5: string | null }>(sql`select fld5 from ${t.db.t.subscriber} order by fld0`)).map(
      ({ fld5 }) => fld5,
    );

  it('413 of getSubscribers for too many of them; 200 with fewer, or with fewer fields', async () => {
    const asked = times(80, '1');
    expect(await ask('/subscribers', asked)).toMatchObject({ status: 413, error: tooLong, data: null });
    expect((await ask('/subscribers', asked.slice(1))).status).toBe(200);
    const some = await ask('/subscribers', times(5_000, '1'), { 'filter.idFields': '1' });
    expect([some.status, (some.data as Subscriber[]).length]).toEqual([200, 5_000]);
    // Unknown ids take no room, and each subscriber is in its place.
    const mixed = await ask('/subscribers', [...times(600, '99'), '1', ...times(600, '2')]);
    expect((mixed.data as (Subscriber | null)[]).map((one) => one?.id ?? 0)).toEqual([
      ...times(600, 0),
      1,
      ...times(600, 2),
    ]);
  });

  it('200 of getSubscribers with the field of the id alone', async () => {
    const reply = await ask('/subscribers', ['1', '99', '2'], { 'filter.idFields': '0' });
    expect((reply.data as (Subscriber | null)[]).map((one) => one?.id ?? null)).toEqual([1, null, 2]);
  });

  it('413 of modifySubscribers, and nobody is changed', async () => {
    const body = times(80, { id: 1, fields: [{ idField: 5, value: 'changed' }] });
    expect(await t.call('PUT', '/subscribers', { body })).toMatchObject({ status: 413, error: tooLong });
    expect(await points()).toEqual([null, null]);
  });

  it('413 of createSubscribers at the first update that finds no room, with the results before it', async () => {
    const body = times(80, { id: 1, fields: [{ idField: 6, value: 'changed' }] });
    const reply = await t.call('POST', '/subscribers', { body });
    expect([reply.status, reply.error]).toEqual([413, `${tooLong} (at position 79)`]);
    expect(reply.data as unknown[]).toHaveLength(79);
  });

  it('413 of createSubscribers counts what it undoes and does again in halves once', async () => {
    const columns = Array.from({ length: texts }, (_, i) => raw(`fld${101 + i}`));
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, ${join(columns)})
      select 'l' || n || '@example.com', ${join(columns.map(() => sql`repeat('x', 10000)`))}
      from generate_series(1, 100) n`);
    const ids = await t.db.rows<{ id: number }>(sql`
      select fld0 as id from ${t.db.t.subscriber} where fld1 like 'l%@example.com' and fld0 > 2 order by 1`);
    const body = ids.map(({ id }) => ({ id, fields: [{ idField: 6, value: 'changed' }] }));
    const reply = await t.call('POST', '/subscribers', { body });
    expect([reply.status, reply.error]).toEqual([413, `${tooLong} (at position 79)`]);
    expect(reply.data as unknown[]).toHaveLength(79);
  });

  it('413 of getArchivedSubscribers', async () => {
    const deleted = await t.call('DELETE', '/subscribers', { query: { idSubscribers: '1' } });
    expect(deleted.status).toBe(200);
    expect(await ask('/subscribers/archived', times(80, '1'))).toMatchObject({ status: 413, error: tooLong });
    expect((await ask('/subscribers/archived', times(79, '1'))).status).toBe(200);
  });
});
