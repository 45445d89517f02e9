import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { readFilterSite } from './filter-site.ts';
import { setFilter } from './filter-store.ts';
import { sqlParser, unneededParser } from './filters/sql-parser.ts';
import { readTargetSet } from './selection.ts';
import { parametersOf } from './target.ts';
import { targetFaults } from './target-faults.ts';
import { insertTarget } from './target-store.ts';

const at = new Date('2026-11-20T10:00:00Z');
const author = { idUser: 1, userName: 'Ada' };

describe('readTargetSet', () => {
  let t: TestApp;
  let db: SiteDb;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
    db = t.db;
    // 20 subscribers; the odd ones are subscribed, and the client id is the id.
    await db.run(sql`
      insert into ${db.t.subscriber} (fld0, fld1, fld7, fld43)
      select i, 's' || i || '@example.org', 1 - i % 2, i from generate_series(1, 20) i`);
  });
  afterAll(() => t.close());

  type Rule = readonly [idField: number, operator: string, value: string];

  async function make(given: Partial<Parameters<typeof parametersOf>[0]>, ...rules: Rule[]): Promise<number> {
    const { pctSelect = 100, ...others } = given;
    // A share of 0 is no longer taken, but it may be there from before.
    const parameters = { ...parametersOf({ name: 'a', ...others }), pctSelect: pctSelect ?? 100 };
    const id = await insertTarget(db, parameters, author, at);
    const filters = rules.map(([idField, operator, value]) => ({ idField, operator, value }));
    if (filters.length > 0) {
      await setFilter(db, { idTarget: id, kind: 'field', isEnabled: true, definition: { filters } });
    }
    return id;
  }

  async function idsOf(id: number): Promise<number[]> {
    return readTargetSet({ app: t.app, db, idTarget: id, at }, async (tx, set) => {
      const rows = await tx.rows<{ fld0: number }>(sql`select fld0 from (${set}) s order by fld0`);
      return rows.map((row) => row.fld0);
    });
  }

  const range = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

  const subscribed: Rule = [7, 'Equal', '0'];
  const upTo = (n: number): Rule => [43, 'LessOrEqual', String(n)];

  it('makes the SQL parser, which takes much memory, for a SQL filter only', async () => {
    const parserFor = async (...filters: { kind: string; definition: object }[]) => {
      const given = filters.map(({ kind, definition }) => ({ kind, definition: { ...definition } }));
      return (await readFilterSite(t.app, db, at, given)).sqlParser;
    };
    const field = { kind: 'field', definition: { filters: [] } };
    expect(await parserFor(field)).toBe(unneededParser);
    expect(() => unneededParser.parse('select')).toThrow('does not say in its needs');
    expect(await parserFor(field, { kind: 'sql', definition: { sql: 'fld7 = 0' } })).toBe(await sqlParser());
  });

  it('selects everybody without filters', async () => {
    expect(await idsOf(await make({}))).toEqual(range(1, 20));
  });

  it('joins the entries of a filter by AND, and leaves disabled filters out', async () => {
    const id = await make({}, subscribed, upTo(6));
    expect(await idsOf(id)).toEqual([1, 3, 5]);
    await db.run(sql`update ${db.t.target_filter} set is_enabled = false where id_target = ${id}`);
    expect(await idsOf(id)).toEqual(range(1, 20));
  });

  /** Gives a target a filter of `bytes` bytes that excludes no one. */
  async function makeLarge(bytes: number, excludedTargets: number[] = []): Promise<number> {
    const id = await make({ excludedTargets });
    await db.run(sql`
      insert into ${db.t.target_filter} (id_target, kind, is_enabled, definition)
      select ${id}::int, 'geolocation', true, jsonb_build_object('unread', repeat('x', ${bytes}::int))`);
    return id;
  }

  const tooLarge = {
    status: 422,
    message: expect.stringContaining('are larger than 64000000 bytes in total'),
  };

  it('refuses filters that would fill the memory, those of an excluded target counted at each mention', async () => {
    const large = await makeLarge(8_000_000);
    const around = [];
    for (let n = 0; n < 8; n++) around.push(await make({ excludedTargets: [large] }));
    expect(await idsOf(await make({ excludedTargets: around.slice(1) }))).toEqual(range(1, 20));
    const outer = await make({ excludedTargets: around });
    await expect(idsOf(outer)).rejects.toMatchObject(tooLarge);
    await db.run(sql`update ${db.t.target_filter} set is_enabled = false where id_target = ${large}`);
    expect(await idsOf(outer)).toEqual(range(1, 20));
  });

  it('reports targets that are too large only together', async () => {
    const ids = [await makeLarge(40_000_000), await makeLarge(40_000_000)];
    expect(await targetFaults(t.app, db, ids.slice(1), at)).toEqual([]);
    expect(await targetFaults(t.app, db, ids, at)).toEqual([
      { problem: tooLarge.message, refusal: expect.objectContaining(tooLarge) },
    ]);
    const twice = [ids[0]!, ids[0]!];
    expect(await targetFaults(t.app, db, twice, at)).toEqual([
      {
        problem: expect.stringContaining(`filters of target ${ids[0]}, with`),
        refusal: expect.objectContaining(tooLarge),
      },
    ]);
  });

  it.each([
    [{ pctSelect: 50 }, range(1, 9, 2)],
    [{ pctSelect: 51 }, range(1, 11, 2)],
    [{ pctSelect: 1 }, [1]],
    [{ pctSelect: 0 }, []],
    [{ maxSelect: 3 }, [1, 3, 5]],
    [{ maxSelect: 3, pctSelect: 1 }, [1, 3, 5]],
    [{ maxSelect: 30, pctSelect: 1 }, range(1, 19, 2)],
  ])('cuts to %j, rounded up, smallest ids first', async (cut, expected) => {
    expect(await idsOf(await make(cut, subscribed))).toEqual(expected);
  });

  it.each([{ pctSelect: 50 }, { maxSelect: 10 }])('cuts at random to %j of the selected', async (cut) => {
    const id = await make({ ...cut, isRandomMode: true });
    const runs = await Promise.all(range(1, 5).map(() => idsOf(id)));
    for (const ids of runs) expect(new Set(ids).size).toBe(10);
    // Five equal choices of 10 in 20 happen once in 10^21 runs.
    expect(new Set(runs.map(String)).size).toBeGreaterThan(1);
  });

  it('removes the subscribers of excluded targets before it limits', async () => {
    const few = await make({}, upTo(4));
    expect(await idsOf(await make({ excludedTargets: [few] }, subscribed))).toEqual(range(5, 19, 2));
    const all = await make({});
    expect(await idsOf(await make({ excludedTargets: [all] }))).toEqual([]);
    expect(await idsOf(await make({ excludedTargets: [few], maxSelect: 2 }, subscribed))).toEqual([5, 7]);
    const cut = await make({ maxSelect: 2 }, subscribed);
    expect(await idsOf(await make({ excludedTargets: [few, cut] }))).toEqual(range(5, 20));
    expect(await idsOf(await make({ excludedTargets: [cut], pctSelect: 50 }, subscribed))).toEqual([
      5, 7, 9, 11,
    ]);
  });

  it('follows exclusions of exclusions', async () => {
    const two = await make({}, upTo(2));
    const four = await make({ excludedTargets: [two] }, upTo(4));
    expect(await idsOf(await make({ excludedTargets: [four] }, upTo(6)))).toEqual([1, 2, 5, 6]);
    const cut = await make({ excludedTargets: [two], maxSelect: 1 });
    const outer = await make({ excludedTargets: [cut] }, upTo(4));
    expect(await idsOf(outer)).toEqual([1, 2, 4]);
    expect(await idsOf(await make({ excludedTargets: [outer] }, upTo(5)))).toEqual([3, 5]);
  });

  it('counts an empty value as not selected by what is excluded', async () => {
    const none = await make({}, [4, 'LessOrEqual', '2026-01-01']);
    expect(await idsOf(await make({ excludedTargets: [none] }))).toEqual(range(1, 20));
  });

  it('refuses a target that does not exist, including one of another site', async () => {
    await expect(idsOf(99_999)).rejects.toMatchObject({
      status: 404,
      message: 'Target not found',
    });
  });

  it('never continues without an excluded target', async () => {
    const gone = await make({});
    const id = await make({ excludedTargets: [gone] });
    await db.run(sql`update ${db.t.target} set deleted_at = ${at} where id = ${gone}`);
    await expect(idsOf(id)).rejects.toThrow(`Target ${gone} is excluded`);
  });
});
