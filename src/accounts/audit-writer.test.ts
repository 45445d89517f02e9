import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { type TcpProxy, tcpProxy } from '../testing/tcp-proxy.ts';
import { AuditWriter, maxWaitingEntries } from './audit-writer.ts';

describe('the writer of the audit log', () => {
  let t: TestApp;
  let proxy: TcpProxy;
  let control: Database;
  let lines: Record<string, unknown>[];
  let writer: AuditWriter;
  beforeAll(async () => {
    t = await testApp();
    proxy = await tcpProxy(t.connection);
    control = openDatabase(proxy.connection, () => undefined);
  });
  beforeEach(() => {
    lines = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    writer = new AuditWriter(control, log);
  });
  afterEach(async () => {
    await t.app.control.pool.query('truncate facteur.audit_entry');
  });
  afterAll(async () => {
    await control.pool.end();
    await proxy.close();
    await t.close();
  });

  const add = (from: number, to: number) => {
    const common = { at: t.clock.now(), idUser: 1, idToken: 2, idSite: null, siteName: null, status: 200 };
    for (let id = from; id <= to; id++)
      writer.add({ ...common, operation: 'updateUser', address: '192.0.2.1', ids: { idUser: id } });
  };
  /** The written ids in order, and how many statements wrote them. */
  async function written(): Promise<{ ids: number[]; statements: number }> {
    const { rows } = await t.app.control.pool.query<{ id: number; tx: string }>(
      `select (ids ->> 'idUser')::int as id, xmin::text as tx from facteur.audit_entry order by facteur.audit_entry.id`,
    );
    return { ids: rows.map(({ id }) => id), statements: new Set(rows.map(({ tx }) => tx)).size };
  }
  const numbers = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

  it('writes what came during a statement with the next one, and is idle only then', async () => {
    const other = await t.app.control.pool.connect();
    await other.query('begin; lock table facteur.audit_entry');
    add(1, 3);
    await new Promise(setImmediate);
    add(4, 400);
    let isIdle = false;
    const idle = writer.idle().then(() => {
      isIdle = true;
    });
    // The statement waits for the lock.
    await expect
      .poll(async () => {
        const { rows } = await t.app.control.pool.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%facteur.audit_entry%'`,
        );
        return rows.length;
      })
      .toBe(1);
    expect(isIdle).toBe(false);
    await other.query('commit');
    other.release();
    await idle;
    expect(await written()).toEqual({ ids: numbers(400), statements: 2 });
    expect(lines).toEqual([]);
  });

  it('drops entries while the database is unavailable, counts them in the log, and continues', async () => {
    proxy.cut();
    add(1, 7);
    await writer.idle();
    expect(lines).toMatchObject([{ msg: 'audit entries dropped', dropped: 7, reason: expect.any(String) }]);
    proxy.restore();
    add(8, 9);
    await writer.idle();
    expect((await written()).ids).toEqual([8, 9]);
    expect(lines).toHaveLength(1);
  });

  it('drops and counts what is more than may wait', async () => {
    add(1, maxWaitingEntries + 5);
    await writer.idle();
    expect((await written()).ids).toEqual(numbers(maxWaitingEntries));
    expect(lines).toMatchObject([{ msg: 'audit entries dropped', dropped: 5, reason: 'too many wait' }]);
  });
});
