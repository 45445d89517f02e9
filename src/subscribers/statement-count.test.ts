import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { addCustomFields } from '../testing/custom-fields.ts';

/** Calls about many subscribers cost statements by what they ask, not by how many they name. */
describe('the number of statements', () => {
  let t: TestApp;
  let statements = 0;
  const query = pg.Client.prototype.query;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      statements++;
      return (query as (...args: unknown[]) => never).apply(this, args);
    } as typeof query;
  });
  afterAll(async () => {
    pg.Client.prototype.query = query;
    await t.close();
  });
  const fill = async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber}, ${t.db.t.archived_subscriber} restart identity`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld43)
      select 'p' || n || '@example.com', n from generate_series(1, 5001) n`);
  };

  const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  const statementsOf = async (
    method: string,
    path: string,
    options: object,
    isGood = (_: unknown[]) => true,
  ) => {
    // What is read once and kept (a token, the site, its fields) has been read.
    await t.call('GET', '/subscribers', {
      query: { 'filter.by': 'IdSubscriber', 'filter.values': 1 },
      as: 'editor',
    });
    const before = statements;
    const { status, data, error } = await t.call(method, path, { ...options, as: 'editor' });
    const count = statements - before;
    expect([status, error]).toEqual([200, null]);
    expect(isGood(data)).toBe(true);
    return count;
  };
  const isAll = (data: unknown[]) => data.every(Boolean);

  const calls: Record<string, (count: number) => Promise<number>> = {
    modifySubscribers: (count) =>
      statementsOf(
        'PUT',
        '/subscribers',
        {
          body: ids(count).map((id) => ({
            id,
            fields: [{ idField: 101 + (id % 2), value: id % 2 ? 7 : 'a' }],
          })),
        },
        isAll,
      ),
    deleteSubscribers: (count) =>
      statementsOf('DELETE', '/subscribers', { body: ids(count) }, (data) => data.length === count),
    subscribe: (count) =>
      statementsOf(
        'POST',
        '/subscribers/subscribe',
        {
          body: ids(count).map((idSubscriber) => ({ idSubscriber, firstOrigin: `o${idSubscriber % 3}` })),
        },
        isAll,
      ),
    resubscribe: (count) =>
      statementsOf(
        'POST',
        '/subscribers/resubscribe',
        {
          body: ids(count).map((idSubscriber) => ({ idSubscriber, lastOrigin: `o${idSubscriber % 3}` })),
        },
        isAll,
      ),
    'unsubscribe, two kinds in turns': (count) =>
      statementsOf(
        'POST',
        '/subscribers/unsubscribe',
        {
          body: ids(count).map((id) => ({ idSubscriber: id, from: id % 2 ? 'Newsletter' : 'PartnerOffers' })),
        },
        isAll,
      ),
  };
  for (const encoding of ['None', 'MD5', 'SHA1', 'SHA2_256', 'SHA2_512'] as const) {
    const name = { None: '', MD5: 'md5', SHA1: 'sha1', SHA2_256: 'sha256', SHA2_512: 'sha512' }[encoding];
    const hashed = (text: string) => (name === '' ? text : createHash(name).update(text).digest('hex'));
    calls[`getSubscribers by ${encoding}`] = (count) =>
      statementsOf(
        'GET',
        '/subscribers',
        {
          query: {
            'filter.by': 'Email',
            'filter.emailEncoding': encoding,
            'filter.values': ids(count)
              .map((id) => hashed(`p${id}@example.com`))
              .join(','),
          },
        },
        isAll,
      );
  }

  it.each(Object.keys(calls))('%s: the same for 10, 1,000 and 5,000', async (name) => {
    const counts: number[] = [];
    for (const count of [10, 1000, 5000]) {
      await fill();
      counts.push(await calls[name]!(count));
    }
    expect(counts).toEqual([counts[0], counts[0], counts[0]]);
    expect(counts[0]).toBeLessThan(12);
  });

  it('createSubscribers: one for a thousand', async () => {
    const create = (from: number, count: number) =>
      statementsOf(
        'POST',
        '/subscribers',
        {
          body: ids(count).map((n) => ({ fields: [{ idField: 1, value: `new${from + n}@example.com` }] })),
        },
        isAll,
      );
    const [ten, thousand, more] = [await create(0, 10), await create(1000, 1000), await create(5000, 5000)];
    expect([thousand - ten!, more! - ten!]).toEqual([0, 4]);
  });
});
