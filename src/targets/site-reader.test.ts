import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../platform/db/database.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { until } from '../testing/until.ts';
import { asSiteReader } from './site-reader.ts';
import { siteRoleOf } from './site-role.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
  for (const db of [t.db, t.otherDb])
    await db.run(sql`insert into ${db.t.subscriber} (fld0, fld1) values (1, ${`a@${db.site.name}.test`})`);
});
afterAll(() => t.close());

const read = <T>(work: (reader: Connection) => Promise<T>, db = t.db) => asSiteReader(t.app, db, {}, work);
/** Readers that run something; idle ones are kept for a few seconds. */
const readersNow = async () =>
  (
    await t.app.control.one<{ n: number }>(sql`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and usename like 'facteur_site_%' and state <> 'idle'`)
  ).n;

/** No right to it, or nothing that a read-only transaction does. */
const refusals = ['42501', '25006', '25001'];

describe('what runs with the rights of a site', () => {
  it('reads the subscribers of its own site', async () => {
    const query = sql`select fld1, current_user::text as "user" from site_demo.subscriber`;
    const { name } = await siteRoleOf(t);
    expect(await read((reader) => reader.rows(query))).toEqual([{ fld1: 'a@demo.test', user: name }]);
  });

  it.each([
    'select * from site_other.subscriber',
    'select * from site_demo.target',
    'select * from site_demo.archived_subscriber',
    'select * from facteur.token',
    'select * from facteur.site',
    'select * from graphile_worker.jobs',
    'select rolpassword from pg_authid',
    'select * from pg_largeobject',
    "select query_to_xml('select * from site_other.subscriber', true, true, '')",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('/')",
    "select lo_import('/etc/passwd')",
    "select lo_from_bytea(0, 'a')",
    "select set_config('role', 'facteur', true)",
    'set role facteur',
    "select set_config('session_authorization', 'facteur', true)",
    'set session authorization facteur',
    "select set_config('transaction_read_only', 'off', true)",
    'set transaction read write',
    "select set_config('temp_file_limit', '-1', true)",
    "select nextval('site_demo.subscriber_fld0_seq')",
    'select fld0 from site_demo.subscriber for update',
    'with gone as (delete from site_demo.subscriber returning fld0) select * from gone',
    'update site_demo.subscriber set fld7 = 1',
    "insert into site_demo.subscriber (fld1) values ('b@demo.test')",
    'lock table site_demo.subscriber in access exclusive mode',
    "copy site_demo.subscriber to '/tmp/subscribers'",
    "copy (select 1) to program 'true'",
    'do $$ begin delete from site_demo.subscriber; end $$',
    "do $$ begin perform set_config('role', 'facteur', true); end $$",
    'create table site_demo.mine (a int)',
    'create temporary table mine (a int)',
    'create function public.mine() returns int language sql return 1',
    'alter role current_user superuser',
    'create role another',
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'facteur'",
    'truncate site_demo.subscriber',
  ])('is refused: %s', async (statement) => {
    const refused = await read((reader) => reader.run(raw(statement))).catch((error) => error.code);
    expect(refusals).toContain(refused);
    for (const db of [t.db, t.otherDb])
      expect(await db.rows(sql`select fld0, fld1, fld7 from ${db.t.subscriber}`)).toEqual([
        { fld0: 1, fld1: `a@${db.site.name}.test`, fld7: 0 },
      ]);
  });

  it('is ended at its time', async () => {
    const late = read(async (reader) => {
      await reader.run(sql`select set_config('statement_timeout', '100', true)`);
      await reader.run(sql`select set_config('statement_timeout', '0', true), pg_sleep(60)`);
    });
    await expect(late).rejects.toMatchObject({ code: '57014' });
  });

  it('has a time limit that nobody requested', async () => {
    const [{ limit } = {}] = await read((reader) => reader.rows(sql`show statement_timeout`)).then((rows) =>
      rows.map((row) => ({ limit: row.statement_timeout })),
    );
    expect(limit).toBe('15min');
  });

  it('fills no disk', async () => {
    const wide = sql`
      with wide as materialized (select repeat('x', 8000) from generate_series(1, 50000)) select count(*) from wide`;
    await expect(read((reader) => reader.run(wide))).rejects.toMatchObject({ code: '53400' });
  });

  it('leaves nothing behind: settings, locks, large objects, notifications', async () => {
    const heard: (string | undefined)[] = [];
    await t.app.control.withClient(async (client) => {
      client.on('notification', ({ payload }) => heard.push(payload));
      await client.query('listen siteread');
      await read(async (reader) => {
        await reader.run(sql`select pg_advisory_lock(77), set_config('search_path', 'site_other', false)`);
        await reader.run(sql`select pg_notify('siteread', 'theirs')`);
      });
      const free = `select pg_try_advisory_lock(77) as free, pg_advisory_unlock(77), pg_notify('siteread', 'ours')`;
      expect((await client.query<{ free: boolean }>(free)).rows).toMatchObject([{ free: true }]);
      await until(() => heard.length > 0, 'our own notification comes');
      await client.query('unlisten siteread');
    });
    expect(heard).toEqual(['ours']);
    expect(await read((reader) => reader.one(sql`show search_path`))).toEqual({ search_path: 'pg_catalog' });
    expect(await t.app.control.rows(sql`select from pg_largeobject_metadata`)).toEqual([]);
    expect(await readersNow()).toBe(0);
  });

  it('leaves no transaction after an error', async () => {
    await expect(read((reader) => reader.run(sql`select 1 / 0`))).rejects.toMatchObject({ code: '22012' });
    const fails = read(async () => {
      throw new Error('ours');
    });
    await expect(fails).rejects.toThrow('ours');
    expect(await readersNow()).toBe(0);
    expect(await read((reader) => reader.one(sql`select 1 as one`))).toEqual({ one: 1 });
  });
});

describe('what is aborted', () => {
  const gone = new Error('gone');
  const sleepers = async () =>
    (
      await t.app.control.rows<{ pid: number }>(sql`
        select pid from pg_stat_activity
        where datname = current_database() and usename like 'facteur_site_%' and query like 'select pg_sleep%'
          and state = 'active'
        order by pid`)
    ).map(({ pid }) => pid);
  const untilAsleep = (count: number) =>
    until(async () => (await sleepers()).length === count, `${count} to sleep`);
  const sleep = (signal: AbortSignal) =>
    asSiteReader(t.app, t.db, { signal }, (reader) => reader.run(sql`select pg_sleep(3600)`));
  const pidOf = (reader: Connection) => reader.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);

  it('ends in PostgreSQL before its place is free, and no one else does', async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const stays = sleep(other.signal).catch((error) => error);
    await untilAsleep(1);
    const [pid] = await sleepers();
    const ended = sleep(one.signal).catch((error) => error);
    await untilAsleep(2);
    one.abort(gone);
    expect(await ended).toBe(gone);
    expect(await sleepers()).toEqual([pid]);
    for (let n = 0; n < 5; n++)
      expect(await read((reader) => reader.one(sql`select 1 as one`))).toEqual({ one: 1 });
    expect(await sleepers()).toEqual([pid]);
    other.abort(gone);
    expect(await stays).toBe(gone);
    expect(await sleepers()).toEqual([]);
  });

  it('runs no further statement where none was running, and its connection serves no one else', async () => {
    const one = new AbortController();
    let pid = 0;
    let asked: Promise<unknown> | undefined;
    const ended = asSiteReader(t.app, t.db, { signal: one.signal }, async (reader) => {
      ({ pid } = await pidOf(reader));
      one.abort(gone);
      const isThere = sql`select from pg_stat_activity where pid = ${pid}`;
      await until(async () => (await t.app.control.run(isThere)) === 0, 'its session to be ended');
      asked = reader.run(sql`select 1`);
      await asked;
    });
    await expect(ended).rejects.toBe(gone);
    await expect(asked).rejects.toThrow();
    expect((await read(pidOf)).pid).not.toBe(pid);
  });

  it('serves no one else either where it had come to its end', async () => {
    const one = new AbortController();
    const { pid } = await asSiteReader(t.app, t.db, { signal: one.signal }, async (reader) => {
      const found = await pidOf(reader);
      one.abort(gone);
      return found;
    });
    expect((await read(pidOf)).pid).not.toBe(pid);
  });

  it('does not start after the signal, and is left alone after its end', async () => {
    await expect(sleep(AbortSignal.abort(gone))).rejects.toBe(gone);
    const late = new AbortController();
    await asSiteReader(t.app, t.db, { signal: late.signal }, pidOf);
    // On the same connection: the one that was released last is used first.
    const next = read(async (reader) => {
      late.abort(gone);
      return pidOf(reader);
    });
    expect(await next).toEqual({ pid: expect.any(Number) });
  });

  it('is ended by PostgreSQL if no process can cancel it', async () => {
    const one = new AbortController();
    const { name } = await siteRoleOf(t);
    const ended = sleep(one.signal).catch((error) => error);
    await untilAsleep(1);
    await t.app.control.pool.query(`alter role ${name} connection limit 0`);
    await t.app.control.rows(sql`
      select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = ${name} and state = 'idle'`);
    one.abort(gone);
    expect(await ended).toBe(gone);
    await untilAsleep(0);
    await t.app.control.pool.query(`alter role ${name} connection limit -1`);
  });

  it('waits in no line', async () => {
    const four = new AbortController();
    const all = Array.from({ length: 4 }, () => sleep(four.signal).catch((error) => error));
    await untilAsleep(4);
    const one = new AbortController();
    const waits = sleep(one.signal);
    one.abort(gone);
    await expect(waits).rejects.toBe(gone);
    four.abort(gone);
    expect(await Promise.all(all)).toEqual(Array(4).fill(gone));
  });
});

describe('the role of a site', () => {
  it('is another one for each site and each database', async () => {
    const [demo, other] = [await siteRoleOf(t), await siteRoleOf({ app: t.app, db: t.otherDb })];
    expect(demo.name).not.toBe(other.name);
    expect(demo.password).not.toBe(other.password);
    const { oid } = await t.app.control.one<{ oid: string }>(
      sql`select oid::text as oid from pg_database where datname = current_database()`,
    );
    expect([demo.name, other.name]).toEqual([
      `facteur_site_${oid}_${t.db.site.id}`,
      `facteur_site_${oid}_${t.otherDb.site.id}`,
    ]);
    expect(
      await read((reader) => reader.rows(sql`select fld1 from site_other.subscriber`), t.otherDb),
    ).toEqual([{ fld1: 'a@other.test' }]);
    const foreign = read((reader) => reader.rows(sql`select fld1 from site_demo.subscriber`), t.otherDb);
    await expect(foreign).rejects.toMatchObject({ code: '42501' });
  });

  it('is made again when it was dropped, or has lost its rights', async () => {
    const { name } = await siteRoleOf(t);
    const ask = () => read((reader) => reader.rows(sql`select fld0 from site_demo.subscriber`));
    await ask();
    await t.app.control.pool.query(`drop owned by ${name}; drop role ${name}`);
    expect(await ask()).toEqual([{ fld0: 1 }]);
    await t.app.control.pool.query(`drop owned by ${name}`);
    expect(await ask()).toEqual([{ fld0: 1 }]);
    // Ten at once, as after a restore.
    await t.app.control.pool.query(`drop owned by ${name}; drop role ${name}`);
    expect(await Promise.all([ask(), ask(), ask(), ask()])).toEqual(Array(4).fill([{ fld0: 1 }]));
  });

  it('is no longer used when somebody has given it more rights', async () => {
    const { name } = await siteRoleOf(t);
    await t.app.control.pool.query(`grant update on site_demo.subscriber to ${name}`);
    await expect(read((reader) => reader.run(sql`select`))).rejects.toThrow('may do more than read');
    await t.app.control.pool.query(`revoke update on site_demo.subscriber from ${name}`);
    await t.app.control.pool.query(`alter role ${name} superuser`);
    await expect(read((reader) => reader.run(sql`select`))).rejects.toThrow('may do more than read');
    await t.app.control.pool.query(`alter role ${name} nosuperuser`);
  });

  it('has few connections at once, and the next ones wait', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let most = 0;
    const all = Array.from({ length: 10 }, () =>
      read(async () => {
        most = Math.max(most, await readersNow());
        await gate;
      }),
    );
    await until(() => most >= 4, 'four are under way');
    expect(await readersNow()).toBe(4);
    open();
    await Promise.all(all);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('continues when its idle connections are lost', async () => {
    const ask = () => read((reader) => reader.rows(sql`select fld0 from site_demo.subscriber`));
    await Promise.all([ask(), ask()]);
    const ended = await t.app.control.rows(sql`
      select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and usename like 'facteur_site_%'`);
    expect(ended.length).toBeGreaterThan(0);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill([{ fld0: 1 }]));
  });

  it('sees what another transaction sees', async () => {
    const count = sql`select count(*)::int as n from site_demo.subscriber`;
    await t.db.transaction(async (tx) => {
      const { snapshot } = await tx.one<{ snapshot: string }>(sql`select pg_export_snapshot() as snapshot`);
      await t.db.run(sql`insert into site_demo.subscriber (fld0, fld1) values (2, 'later@demo.test')`);
      const seen = await asSiteReader(t.app, t.db, { snapshot }, (reader) => reader.one(count));
      expect([seen, await tx.one(count)]).toEqual([{ n: 1 }, { n: 1 }]);
    }, 'repeatable read');
    expect(await read((reader) => reader.one(count))).toEqual({ n: 2 });
    await t.db.run(sql`delete from site_demo.subscriber where fld0 = 2`);
  });
});
