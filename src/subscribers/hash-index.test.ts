import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { queuedTasks } from '../platform/tasks.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { until } from '../testing/until.ts';
import { buildHashIndex, buildHashIndexTask, type Hash, hasHashIndex, hashes, isHash } from './hash-index.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1) select 'Row' || n || '@example.com' from generate_series(1, 2000) n`);
});
afterAll(() => t.close());

const digest = (hash: Hash, n: number) =>
  createHash(hashes[hash]).update(`row${n}@example.com`).digest('hex');
const ask = async (hash: Hash, values: readonly string[]) => {
  const query = {
    'filter.by': 'Email',
    'filter.emailEncoding': hash,
    'filter.idFields': [0],
    'filter.values': values,
  };
  const { status, data } = await t.call('GET', '/subscribers', { query });
  expect(status).toBe(200);
  return (data as ({ fields: { value: unknown }[] } | null)[]).map((one) => one?.fields[0]?.value ?? null);
};
const waiting = () =>
  t.app.control.rows<{ payload: { hash: Hash } }>(sql`select * from ${queuedTasks(buildHashIndexTask)} j`);
const indexes = () =>
  t.db.rows<{ name: string; isValid: boolean }>(sql`
    select c.relname as name, i.indisvalid as "isValid"
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = ${t.db.t.subscriber.text}::regclass and c.relname like 'subscriber\\_email\\_%' order by 1`);

describe.each(Object.keys(hashes).filter(isHash))('a look-up by %s', (hash) => {
  it('scans at first and asks once for its index, which the task builds; the answers are the same', async () => {
    const wanted = [digest(hash, 7), '0'.repeat(digest(hash, 7).length), digest(hash, 1999).toUpperCase()];
    const first = await ask(hash, wanted);
    expect(first.map((id) => id !== null)).toEqual([true, false, true]);
    expect(await ask(hash, wanted)).toEqual(first);
    const jobs = (await waiting()).filter(({ payload }) => payload.hash === hash);
    expect(jobs).toHaveLength(1);
    const payload = { idSite: t.db.site.id, hash };
    for (let times = 0; times < 2; times++)
      await buildHashIndexTask.run(t.app, payload, new AbortController().signal);
    expect(await indexes()).toContainEqual({ name: `subscriber_email_${hashes[hash]}`, isValid: true });
    expect(await hasHashIndex(t.db, hash)).toBe(true);
    expect(await ask(hash, wanted)).toEqual(first);
  });
});

it('a new site has no such index', async () => {
  expect(
    await t.otherDb.rows(sql`
      select from pg_indexes where schemaname = ${t.otherDb.site.schema} and indexname like 'subscriber\\_email\\_%'`),
  ).toEqual([]);
});

it('a build whose session was killed leaves an index that is not used, and the next build replaces it', async () => {
  const db = t.otherDb;
  const valid = async () =>
    (
      await db.rows<{ isValid: boolean }>(sql`
        select i.indisvalid as "isValid" from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = ${db.t.subscriber.text}::regclass and c.relname = 'subscriber_email_md5'`)
    ).map(({ isValid }) => isValid);
  await db.transaction(async (tx) => {
    // The build waits for this writer.
    await tx.run(sql`insert into ${tx.t.subscriber} (fld1) values ('writer@example.com')`);
    const building = buildHashIndex(db, 'MD5').catch((error: Error) => error.message);
    await until(async () => (await valid()).length === 1, 'the beginning of the index');
    await t.app.control.run(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'create index concurrently subscriber_email_md5%' and datname = current_database()`);
    expect(await building).toMatch(/terminat/);
  });
  expect(await valid()).toEqual([false]);
  expect(await hasHashIndex(db, 'MD5')).toBe(false);
  await buildHashIndex(db, 'MD5');
  expect(await valid()).toEqual([true]);
  expect(await hasHashIndex(db, 'MD5')).toBe(true);
});
