import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raw, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { buildSearchIndexesTask } from '../search-store.ts';

interface Found {
  readonly subscribers: readonly { readonly id: number }[];
  readonly nextCursor: number | null;
}

describe('searchSubscribers', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld101, fld21)
      values ('ada@example.com', 'Countess of Lovelace', 'Ada'), ('bo@100%.example', 'a_b', 'Zoé'),
        ('cleo@example.com', 'back\\slash', null)`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1) select 'many' || i || '@crowd.example' from generate_series(1, 120) i`);
    await t.otherDb.run(sql`insert into ${t.otherDb.t.subscriber} (fld1) values ('ada@other.example')`);
  });
  afterAll(() => t.close());

  const search = (text: string, more: object = {}) =>
    t.call('GET', '/subscribers/search', { as: 'reader', query: { search: text, ...more } });
  const idsOf = async (text: string) => {
    const { data } = await search(text);
    return (data as Found).subscribers.map(({ id }) => id);
  };
  const indexes = async () =>
    (
      await t.app.control.pool.query(
        `select indexname from pg_indexes where schemaname = 'site_demo' and indexname like 'subscriber_search_%'
         order by 1`,
      )
    ).rows.map(({ indexname }) => indexname as string);
  const build = () =>
    buildSearchIndexesTask.run(t.app, { idSite: t.db.site.id }, new AbortController().signal);

  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['ada@', [1]],
    ['LOVELACE', [1]],
    ['ountess of', [1]],
    ['Zoé', [2]],
    ['100%', [2]],
    ['a_b', [2]],
    ['_', [2]],
    ['%', [2]],
    ['k\\s', [3]],
    ['\\', [3]],
    ['@example.com', [3, 1]],
    ['nobody', []],
    ["' or true --", []],
  ];

  it.each(cases)('200 finds %j before there are indexes', async (text, ids) => {
    expect(await idsOf(text)).toEqual(ids);
  });

  it('200 shows the fields requested', async () => {
    expect(await search('ada@', { 'filter.idFields': [1, 101] })).toMatchObject({
      status: 200,
      typeName: 'FoundSubscribers',
      data: {
        subscribers: [
          {
            id: 1,
            fields: [
              { idField: 1, value: 'ada@example.com' },
              { idField: 101, value: 'Countess of Lovelace' },
            ],
          },
        ],
        nextCursor: null,
      },
    });
  });

  it('200 finds only those in a state', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7, fld44)
      values ('left@state.example', 1, 0), ('bounced@state.example', 0, 2), ('soft@state.example', 0, 1)`);
    const addresses = async (state: string) => {
      const { data } = await search('@state.example', { state, 'filter.idFields': [1] });
      type Shown = { readonly fields: readonly { readonly value: string }[] };
      return (data as { subscribers: readonly Shown[] }).subscribers.map(({ fields }) => fields[0]!.value);
    };
    expect(await addresses('eligible')).toEqual(['soft@state.example']);
    expect(await addresses('unsubscribed')).toEqual(['left@state.example']);
    expect(await addresses('unreachable')).toEqual(['bounced@state.example']);
    expect((await search('@state.example', { state: 'gone' })).status).toBe(400);
  });

  it('200 shows the newest first, 50 on a page, each once', async () => {
    const ids: number[] = [];
    const sizes: number[] = [];
    let cursor: number | null = null;
    do {
      const { data } = await search('crowd', cursor === null ? {} : { cursor });
      const page = data as Found;
      ids.push(...page.subscribers.map(({ id }) => id));
      sizes.push(page.subscribers.length);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(sizes).toEqual([50, 50, 20]);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(120);
  });

  it('has the indexes built in the background, once, also that of a new field, and finds the same', async () => {
    await idsOf('ada');
    const jobs = await t.app.control.pool.query(
      `select j.payload from graphile_worker._private_jobs j
       join graphile_worker._private_tasks k on k.id = j.task_id where k.identifier = 'buildSearchIndexes'`,
    );
    expect(jobs.rows).toEqual([{ payload: { idSite: t.db.site.id } }]);
    // What a killed process leaves.
    await t.db.run(sql`create index subscriber_search_fld1 on ${t.db.t.subscriber} (fld1)`);
    await t.app.control.pool.query(
      `update pg_index set indisvalid = false where indexrelid = 'site_demo.subscriber_search_fld1'::regclass`,
    );
    await Promise.all([build(), build()]);
    expect(await indexes()).toEqual(
      expect.arrayContaining(['subscriber_search_fld1', 'subscriber_search_fld101']),
    );
    const { rows } = await t.app.control.pool.query(
      `select indexdef from pg_indexes where indexname = 'subscriber_search_fld1' and schemaname = 'site_demo'`,
    );
    expect(rows[0].indexdef).toContain('USING gin');
    for (const [text, ids] of cases) expect(await idsOf(text)).toEqual(ids);
    const body = { name: 'Nickname', fieldType: 'Text', length: 50, description: '' };
    const made = await t.call('POST', '/fields', { body, as: 'admin' });
    expect(made.status).toBe(200);
    await build();
    expect(await indexes()).toContain(`subscriber_search_fld${(made.data as { id: number }).id}`);
  });

  it('reads and indexes 32 text fields at most', async () => {
    const body = (n: number) => ({ name: `Wide ${n}`, fieldType: 'Text', length: 50, description: '' });
    const ids: number[] = [];
    for (let n = 0; n < 33; n++)
      ids.push(((await t.call('POST', '/fields', { body: body(n), as: 'admin' })).data as { id: number }).id);
    const last = raw(`fld${ids.at(-1)}`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, ${last}) values ('wide@example.com', 'far to the right')`);
    await build();
    expect((await indexes()).length).toBe(32);
    expect([await idsOf('far to the right'), (await idsOf('wide@')).length]).toEqual([[], 1]);
  });

  it('fails, to be retried, while another process builds', async () => {
    // Built already by an earlier test, so that only the lock can be in the way.
    await t.db.run(sql`drop index site_demo.subscriber_search_fld1`);
    await t.app.control.withClient(async (client) => {
      const lock = ['subscriber index site_demo subscriber_search_fld1'];
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
      await expect(build()).rejects.toThrow('is being built by another process');
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    });
    await build();
    expect(await indexes()).toContain('subscriber_search_fld1');
  });

  it('200 with nobody of another site', async () => {
    expect(await idsOf('other.example')).toEqual([]);
  });

  it.each<Record<string, string | number>>([
    {},
    { search: '' },
    { search: 'x'.repeat(255) },
    { search: 'a\u0000' },
    { search: 'a', cursor: 0 },
  ])('400 for %j', async (query) => {
    expect((await t.call('GET', '/subscribers/search', { query })).status).toBe(400);
  });

  it('400 for an unknown field', async () => {
    expect(await search('a', { 'filter.idFields': [999] })).toMatchObject({
      status: 400,
      error: 'filter.idFields: field 999 is unknown',
    });
  });

  it('409 while the fields are being changed over and over', async () => {
    await t.db.run(sql`create sequence ${t.db.name('change')}`);
    await t.db.run(sql`alter table ${t.db.t.field_version} rename to field_version_kept`);
    await t.db.run(
      sql`create view ${t.db.t.field_version} as select nextval('site_demo.change')::int as version`,
    );
    const reply = await search('ada@');
    await t.db.run(sql`drop view ${t.db.t.field_version}`);
    await t.db.run(sql`alter table ${t.db.name('field_version_kept')} rename to field_version`);
    expect(reply.status).toBe(409);
    expect(await idsOf('ada@')).toEqual([1]);
  });

  it('413 for a page of texts that are too long together', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld5)
      select 'long' || i || '@long.example', repeat('x', 700000) from generate_series(1, 51) i`);
    expect((await search('long.example')).status).toBe(413);
    expect((await search('long.example', { 'filter.idFields': [1] })).status).toBe(200);
  });
});
