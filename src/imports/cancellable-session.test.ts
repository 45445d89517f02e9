import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb, SiteSession } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { until } from '../testing/until.ts';
import { cancellableSession } from './cancellable-session.ts';

describe('a session that can be cancelled', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
  });
  afterAll(() => t.close());

  it('cancels the running statement', async () => {
    const client = new AbortController();
    const work = cancellableSession(t.app, t.db, client.signal, ({ db }) => db.run(sql`select pg_sleep(60)`));
    const isAsleep = () =>
      t.db.has(sql`
        select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`);
    await Promise.all([
      expect(work).rejects.toMatchObject({ code: '57014' }),
      until(isAsleep, 'the statement').then(() => client.abort()),
    ]);
  });

  it('does no work when it is aborted before its statements can be cancelled', async () => {
    const client = new AbortController();
    const gone = new Error('The client disconnected');
    /** The statement that identifies the connection. */
    const aborting = (db: SiteDb) =>
      new Proxy(db, {
        get: (target, name) => {
          if (name === 'value') client.abort(gone);
          const value = Reflect.get(target, name, target) as unknown;
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    const db = new Proxy(t.db, {
      get: (target, name) =>
        name === 'session'
          ? <T>(work: (session: SiteSession) => Promise<T>) =>
              target.session((session) => work({ ...session, db: aborting(session.db) }))
          : (Reflect.get(target, name, target) as unknown),
    });
    let hasBegun = false;
    const work = cancellableSession(t.app, db, client.signal, async () => {
      hasBegun = true;
    });
    await expect(work).rejects.toBe(gone);
    expect(hasBegun).toBe(false);
  });
});
