import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { withoutSiteReader } from '../../testing/site-reader.ts';
import { evaluating, TimeLimit } from '../evaluation.ts';
import { targetsOperations } from '../operations.ts';
import { readTargetSet } from '../selection.ts';
import { selectByExpressions } from '../user-expression.ts';
import { sqlParser } from './sql-parser.ts';

describe('the SQL filter', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await addCustomFields(t.db);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1, fld7, fld101, fld102, fld103)
      select i, 's' || i || '@example.org', i % 2, 'text ' || i, i,
        '2026-03-28T23:30:00Z'::timestamptz + (i - 1) * interval '1 day'
      from generate_series(1, 20) i`);
    await t.otherDb.run(
      sql`insert into ${t.otherDb.t.subscriber} (fld0, fld1) values (1, 'secret@example.org')`,
    );
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    id = ((await t.call('POST', '/targets', { body: { name: 'Actifs' } })).data as { id: number }).id;
  });

  const set = (text: unknown) =>
    t.call('PUT', '/targets/filters/sql', { body: { idTarget: id, sql: text, isEnabled: true } });
  const ids = async (): Promise<unknown> => (await t.call('GET', `/targets/${id}/subscriber-ids`)).data;

  it('200 selects by the expression, and is released as it was written', async () => {
    const text = "fld7 = 0 AND fld101 LIKE 'text 1%'";
    expect(await set(` ${text}\n`)).toMatchObject({ status: 200, data: true });
    expect(await ids()).toEqual([10, 12, 14, 16, 18]);
    expect(await t.call('GET', `/targets/${id}/filters/sql`)).toMatchObject({
      data: { idTarget: id, isEnabled: true, sql: text },
    });
    expect(await t.call('GET', `/targets/${id}`)).toMatchObject({
      data: { hasSqlFilter: true, isSafe: false },
    });
  });

  it('200 with an expression that would mean more without its parentheses', async () => {
    await t.call('PUT', '/targets/filters/field', {
      body: { idTarget: id, filters: [{ idField: 7, operator: 'Equal', value: '1' }] },
    });
    await set('fld102 = 2 or fld102 = 3');
    expect(await ids()).toEqual([3]);
  });

  it('200 reads dates as Paris dates', async () => {
    await set("fld103::date = '2026-03-29'");
    expect(await ids()).toEqual([1]);
    await set("fld103 < '2026-03-29'");
    expect(await ids()).toEqual([]);
  });

  it('200 removes the filter if there is no expression', async () => {
    await set('fld7 = 0');
    expect(await set(' ')).toMatchObject({ status: 200 });
    expect(await t.call('GET', `/targets/${id}/filters/sql`)).toMatchObject({
      data: { isEnabled: false, sql: null },
    });
  });

  it.each([
    [
      'fld101 = 5',
      'sql: fld101 (Text) = 5 (number): values of these types cannot be combined; ' +
        'CAST(… AS numeric) makes a text a number',
    ],
    [
      "fld101 <> 'ééé 😀' and fld101 > fld102",
      'sql: fld101 (Text) > fld102 (Integer): values of these types',
    ],
    ["fld102 in (1, 'b')", "sql: fld102 (Integer) IN (1 (number), 'b' (text)): a text that is not a value"],
    [
      "fld103 between 1 and 'x'",
      "sql: fld103 (Date) BETWEEN (1 (number), 'x' (text)): values of these types",
    ],
    ['lower(fld102 + 1) is null', 'sql: lower(fld102 (Integer) + 1 (number)): values of these types'],
    [
      'coalesce(fld101, fld102) is null',
      'sql: COALESCE(fld101 (Text), fld102 (Integer)): has the wrong type',
    ],
    ['not fld101', 'sql: NOT fld101 (Text): has the wrong type here'],
    ['cast(fld103 as bigint) = 1', 'sql: CAST(fld103 (Date) AS int8): a value of this type cannot be cast'],
    ['fld102::text like 5', 'sql: CAST(fld102 (Integer) AS text) LIKE 5 (number): values of these types'],
    [
      "fld102 = 'a'",
      "sql: fld102 (Integer) = 'a' (text): a text that is not a value of the type it is used as",
    ],
    ['fld102', 'sql: fld102 (Integer): has the wrong type here; a condition must be true or false'],
    ["fld103 = 'someday'", "sql: fld103 (Date) = 'someday' (text): a text that is not a date or time"],
    ['1/0 = 1', 'sql: division by zero'],
    [
      'extract(timezone from fld103::timestamp) = 1',
      'sql: a unit that the function does not have for this value',
    ],
    ["to_char(fld102, 'PR9') = '1'", 'sql: a pattern that the function cannot read'],
    ['fld102 / (fld102 - 7) = 1', 'sql: division by zero'],
    ["fld103 >= '25/12/2025'", "sql: fld103 (Date) and '25/12/2025': write the date as '2025-12-25'"],
    [
      "fld103 in ('2025-01-01', '05.12.2025')",
      "sql: fld103 (Date) and '05.12.2025': write the date as '2025-12-05'",
    ],
    ["fld103 between '5/12/2025' and '2026-01-01'", "'5/12/2025': write the date as '2025-12-05'"],
    ["fld103 > date '25/12/2025'", "write a date as year-month-day, for example '2026-12-25'"],
    ['fld104 = 1', 'sql: fld104 (Boolean) = 1 (number): a Boolean is not a number; write fld104 = true'],
    ['0 = fld104', 'sql: 0 (number) = fld104 (Boolean): a Boolean is not a number; write fld104 = false'],
    ['fld101 = Paris', "sql: there is no column paris; write a text in single quotes: 'paris'"],
    [
      'fld101 = "Paris"',
      "sql: there is no column Paris; double quotes hold a name; write a text in single quotes: 'Paris'",
    ],
    ['WHERE fld102 = 1', 'sql: begins with WHERE; write the condition alone, without WHERE'],
    ['fld101::int = 1', 'sql: a text that is not a value of the type it is used as'],
    ['fld102 = 9223372036854775807 + 1::bigint', 'sql: a number that is out of range for its type'],
    ["fld101 like 't\\'", 'sql: a LIKE pattern must not end with its escape character'],
    ['extract(colour from fld103) = 1', 'sql: a unit, time zone or pattern that the function does not know'],
    ['pg_sleep(60) is null', 'sql: the function pg_sleep may not be used'],
    ['fld0 in (select fld0 from site_other.subscriber)', 'sql: a sub-query may not be used'],
    ['x'.repeat(8001), 'body/sql must have at most 8000 characters'],
    ['fld7 = 0\u0000', 'body/sql holds characters'],
    [7, 'body/sql'],
  ])('400 for %j, with the reason, and nothing is kept', async (text, reason) => {
    const reply = await set(text);
    expect(reply).toMatchObject({ status: 400, success: false, data: null });
    expect(reply.error?.replace('sql: ', 'body/sql ')).toContain(reason.replace('sql: ', 'body/sql '));
    expect(await t.call('GET', `/targets/${id}/filters/sql`)).toMatchObject({ data: { sql: null } });
  });

  it('400 for one that takes too long, soon', async () => {
    // A pattern of 4,000 characters that is looked for at every one of 10,000 places of every text.
    await t.db.run(sql`update ${t.db.t.subscriber} set fld5 = repeat('a', 10000)`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1, fld5)
      select 100 + i, 'burn' || i || '@example.org', repeat('a', 10000) from generate_series(1, 3000) i`);
    expect(await set(`fld5 like '%${'a'.repeat(4000)}b%'`)).toMatchObject({
      status: 400,
      error: 'sql: takes too long, over 2 s for 100000 subscribers; simplify it',
    });
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 > 20`);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld5 = null`);
  });

  it('400 for one that PostgreSQL could not stop within a subscriber', async () => {
    const many = (count: number) => Array(count).fill('fld101').join(' || ');
    expect(await set(`(${many(20)}) like ('%' || ${many(10)} || 'b%')`)).toMatchObject({
      status: 400,
      error: expect.stringContaining('sql: LIKE may be too much work for one subscriber'),
    });
  });

  it('422 when it fails on a subscriber that was added since', async () => {
    await set('100 / (fld102 + 7) > 5');
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({ status: 200 });
    await t.db.run(
      sql`insert into ${t.db.t.subscriber} (fld0, fld1, fld102) values (21, 'new@example.org', -7)`,
    );
    const told = { status: 422, error: expect.stringContaining('division by zero') };
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject(told);
    expect(await t.call('GET', `/targets/${id}/subscriber-ids`)).toMatchObject(told);
    const page = { property: 'fld0', direction: 'ASC', start: 0, page: 1, limit: 10 };
    expect(await t.call('GET', `/targets/${id}/subscribers`, { query: page })).toMatchObject(told);
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 = 21`);
  });

  it.each([
    [
      "to_char(fld102, case when fld102 < 0 then 'PR9' else '9' end) = '1'",
      'a pattern that the function cannot read',
    ],
    [
      "date_part(case when fld102 < 0 then 'timezone' else 'day' end, fld103::timestamp) = 1",
      'a unit that the function does not have for this value',
    ],
  ])('422 when %s fails on one who has come since', async (text, reason) => {
    await set(text);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1, fld102, fld103) values (21, 'new@example.org', -7, now())`);
    const told = { status: 422, error: expect.stringContaining(reason) };
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject(told);
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 = 21`);
  });

  it('503 when the database has no connection for it, and the filter stays as it was', async () => {
    expect(await set('fld0 > 1')).toMatchObject({ status: 200 });
    await withoutSiteReader(t, async () => {
      expect(await set('fld0 > 2')).toMatchObject({
        status: 503,
        error: 'The database has no connection left for SQL filters; try again later',
      });
    });
    expect(await t.call('GET', `/targets/${id}/filters/sql`)).toMatchObject({ data: { sql: 'fld0 > 1' } });
    expect(await set('fld0 > 2')).toMatchObject({ status: 200 });
  });

  it('409 when a field no longer exists or has another type since', async () => {
    await set('fld104 or fld102 > 5');
    const { field, subscriber } = t.db.t;
    await t.db.run(sql`update ${field} set field_type = 'Text' where id = 104`);
    await t.db.run(sql`alter table ${subscriber} alter fld104 type text`);
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({
      status: 409,
      error:
        `The SQL filter of target ${id} fails: fld104 (Text) OR fld102 (Integer) > 5 (number): has the wrong type ` +
        'here; a condition must be true or false, for example a comparison; correct the filter and set it again',
    });
    await t.db.run(sql`delete from ${field} where id = 104`);
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({
      status: 409,
      error: expect.stringContaining('there is no column fld104'),
    });
  });

  it('409 for one that was put into the table past the API', async () => {
    await set('fld7 = 0');
    const definition = { sql: 'true) or fld0 in (select fld0 from site_other.subscriber' };
    await t.db.run(sql`
      update ${t.db.t.target_filter} set definition = ${JSON.stringify(definition)}::jsonb where id_target = ${id}`);
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({ status: 409 });
  });
});

describe('the walls behind the reading of the expression', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await t.db.run(sql`insert into ${t.db.t.subscriber} (fld1) values ('a@example.org')`);
  });
  afterAll(() => t.close());

  /** Runs an expression as if `compile` had accepted it. */
  const select = async (expression: Sql) => {
    const site = { fields: new Map(), sqlParser: await sqlParser() };
    return selectByExpressions(
      t.app,
      t.db,
      undefined,
      [{ idTarget: 1, expression }],
      site,
      new TimeLimit(10_000),
    );
  };

  it.each([
    sql`exists (select from generate_series(1, 2))`,
    sql`fld0 = (select max(fld0) from site_demo.subscriber)`,
    sql`exists (select from pg_class)`,
  ])('$text has a plan that reaches beyond the subscribers', async (expression) => {
    await expect(select(expression)).rejects.toThrow('A SQL filter reaches beyond the subscribers');
  });

  it.each([
    sql`fld0 in (select fld0 from site_other.subscriber)`,
    sql`fld0 in (select id from site_demo.target)`,
    sql`exists (select from pg_authid)`,
    sql`fld0 in (select id from facteur.token)`,
    sql`pg_read_file('/etc/passwd') is null`,
    sql`nextval('site_demo.target_id_seq') > 0`,
    sql`set_config('session_authorization', 'facteur', true) is null`,
    sql`set_config('role', 'facteur', true) is null`,
  ])('$text is refused for lack of a right, and no one is notified', async (expression) => {
    await expect(select(expression)).rejects.toMatchObject({ code: '42501' });
  });

  it('a set is read in a transaction that cannot write', async () => {
    const { id } = (await t.call('POST', '/targets', { body: { name: 'a' } })).data as { id: number };
    const of = { app: t.app, db: t.db, idTarget: id, at: t.clock.now() };
    const writing = readTargetSet(of, (tx) => tx.run(sql`delete from ${tx.t.subscriber}`));
    await expect(writing).rejects.toMatchObject({ code: '25006' });
  });

  it('a selection over its time limit is ended and reported, and the next statement has its own limit', async () => {
    const slow = sql`select count(*) from generate_series(1, 1000000000)`;
    await expect(
      t.db.transaction((tx) => evaluating(tx, new TimeLimit(50), () => tx.rows(slow))),
    ).rejects.toMatchObject({
      status: 503,
      code: 'too_slow',
    });
    await t.db.transaction(async (tx) => {
      const limit = sql`select current_setting('statement_timeout') as "limit"`;
      const before = await tx.one(limit);
      expect(await evaluating(tx, new TimeLimit(50), () => tx.one(limit))).toEqual({
        limit: expect.stringMatching(/^\d\d?ms$/),
      });
      expect(await tx.one(limit)).toEqual(before);
    });
  });

  it('nothing is found where a search path could be bent: the control schema has no operators of its own', async () => {
    const { rows } = await t.app.control.pool.query(
      `select oprname from pg_operator where oprnamespace = 'facteur'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });
});
