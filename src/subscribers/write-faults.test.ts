import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { raw, sql } from '../platform/db/sql.ts';
import type { Refusal } from '../platform/http/refusal.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { Hold } from '../testing/hold.ts';
import { createAll } from './creation.ts';
import { subscribersOperations } from './operations.ts';

/** Faults that the database raises for some addresses, by their local part: a number of times, or always. */
const faults = `
  create table facteur.fault (name text, state text, times int);
  create sequence facteur.fault_count;
  create function facteur.fail() returns trigger language plpgsql as $$
    declare one facteur.fault;
    begin
      select * into one from facteur.fault where name = split_part(new.fld1, '@', 1);
      if one.name is not null and nextval('facteur.fault_count') <= one.times then
        raise exception 'select secret' using errcode = one.state;
      end if;
      return new;
    end $$`;

describe('writing many subscribers while the database fails', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
    await t.db.run(raw(faults));
    await t.db.run(sql`
      create trigger fail before insert or update on ${t.db.t.subscriber}
        for each row execute function facteur.fail()`);
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber}, facteur.fault restart identity`);
    await t.db.run(sql`alter sequence facteur.fault_count restart`);
  });

  const named = (...names: string[]) =>
    names.map((name) => ({ fields: [{ idField: 1, value: `${name}@example.com` }] }));
  const many = (count: number) => named(...Array.from({ length: count }, (_, n) => `p${n}`));
  const post = (body: unknown) => t.call('POST', '/subscribers', { body, as: 'editor' });
  const put = (firstId: number, ...names: string[]) =>
    t.call('PUT', '/subscribers', {
      body: named(...names).map((one, n) => ({ id: firstId + n, ...one })),
      as: 'editor',
    });
  const fail = (name: string, state: string, times = 1_000_000) =>
    t.db.run(sql`insert into facteur.fault values (${name}, ${state}, ${times})`);
  const emails = async () =>
    (await t.db.rows<{ fld1: string }>(sql`select fld1 from ${t.db.t.subscriber} order by fld0`)).map(
      ({ fld1 }) => fld1.split('@')[0],
    );

  describe('createSubscribers answers with what was done before, and where to continue', () => {
    it.each([
      ['57014', 503, 'too_slow', 'The query exceeded the time limit; narrow the request or try again'],
      ['57P01', 503, 'unavailable', 'The database is unavailable; try again in a moment'],
    ])('when it says %s: %i %s', async (state, status, code, words) => {
      await fail('bad', state);
      const reply = await post([...many(1000), ...named('good', 'bad', 'late')]);
      // No subscriber of the second thousand was created, so it must be sent again from its beginning.
      expect(reply).toMatchObject({ status, error: `${words} (at position 1000)` });
      expect(reply.headers['x-error-code']).toBe(code);
      expect((reply.data as { id: number }[]).map(({ id }) => id)).toEqual(
        Array.from({ length: 1000 }, (_, n) => n + 1),
      );
      expect(await emails()).toHaveLength(1000);
    });

    it('when it says what nobody expects: 500, with its text for the log alone', async () => {
      await fail('bad', 'XX000');
      const elements = [...many(1000), ...named('bad')];
      const writing = { at: t.app.clock.now(), by: { cause: 'user', id: 1 } as const };
      const refusal = await createAll(t.db, elements, writing).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        status: 500,
        code: 'internal',
        message: 'Internal error; the request id names it in the log (at position 1000)',
        cause: { message: 'select secret' },
      });
      expect((refusal as Refusal).data).toHaveLength(1000);
    });

    it('when its connection is ended from outside', async () => {
      const hold = await Hold.of(
        t.connection,
        `insert into ${t.db.site.schema}.subscriber (fld1) values ('held@example.com')`,
      );
      try {
        const asked = post([...many(1000), ...named('held')]);
        await hold.reached();
        const admin = new pg.Client(t.connection);
        await admin.connect();
        await admin.query(`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`);
        await admin.end();
        const reply = await asked;
        expect(reply).toMatchObject({
          status: 503,
          error: 'The database is unavailable; try again in a moment (at position 1000)',
        });
        expect(reply.data).toHaveLength(1000);
      } finally {
        await hold.letGo();
      }
    });

    it('200 when one element meets two deadlocks, 503 when it meets nothing else', async () => {
      await fail('crossed', '40P01', 2);
      expect(await post(named('crossed'))).toMatchObject({ status: 200 });
      await fail('always', '40P01');
      const reply = await post(named('first', 'always', 'late'));
      expect(reply).toMatchObject({
        status: 503,
        error:
          'The request conflicted with another one that writes the same records; try again (at position 1)',
      });
      expect(reply.headers).toMatchObject({ 'x-error-code': 'crossed', 'retry-after': '1' });
      expect(reply.data).toHaveLength(1);
      expect(await emails()).toEqual(['crossed', 'first']);
    });
  });

  describe('modifySubscribers', () => {
    beforeEach(async () => {
      await post(named('a', 'b', 'c', 'd'));
    });

    it('200 after two deadlocks, 503 after three, and nobody is changed', async () => {
      await fail('crossed', '40P01', 2);
      expect(await put(1, 'a', 'crossed')).toMatchObject({ status: 200 });
      await fail('always', '40P01');
      const reply = await put(1, 'x', 'always');
      expect(reply).toMatchObject({ status: 503, data: null });
      expect(reply.headers).toMatchObject({ 'x-error-code': 'crossed', 'retry-after': '1' });
      expect(await emails()).toEqual(['a', 'crossed', 'c', 'd']);
    });

    it('200 and 409 for two calls that give the same addresses in opposite orders at once', async () => {
      // Each stops between its two addresses, until both have written one.
      await t.db.run(
        raw(`create function facteur.meet() returns trigger language plpgsql as $$
          begin
            if (old.fld0, new.fld1) in ((2, 'y@example.com'), (4, 'x@example.com')) then
              perform pg_advisory_xact_lock_shared(1);
            end if;
            return new;
          end $$`),
      );
      await t.db.run(sql`
        create trigger meet before update on ${t.db.t.subscriber} for each row execute function facteur.meet()`);
      const hold = await Hold.of(t.connection, 'select pg_advisory_xact_lock(1)');
      const asked = [put(1, 'x', 'y'), put(3, 'y', 'x')];
      await hold.reached(2);
      await hold.letGo();
      const [one, other] = await Promise.all(asked);
      expect([one!.status, other!.status].sort()).toEqual([200, 409]);
      const isOne = one!.status === 200;
      expect((isOne ? other : one)!.error).toMatch(/ \(at position 0\)$/);
      expect(await emails()).toEqual(isOne ? ['x', 'y', 'c', 'd'] : ['a', 'b', 'y', 'x']);
    });
  });
});
