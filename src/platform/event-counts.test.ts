import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../testing/database.ts';
import { tcpProxy } from '../testing/tcp-proxy.ts';
import { until } from '../testing/until.ts';
import { openDatabase } from './db/database.ts';
import { sql } from './db/sql.ts';
import { countInTransaction, EventCounts, eventTotals, recentTotals } from './event-counts.ts';

describe('EventCounts', () => {
  let cloned: Awaited<ReturnType<typeof cloneDatabase>>;
  beforeAll(async () => {
    cloned = await cloneDatabase();
  });
  afterAll(() => cloned.close());
  beforeEach(() =>
    cloned.database.run(sql`truncate facteur.event_count, facteur.event_flush, facteur.recent_event`),
  );

  const accepted = { idSite: 1, event: 'mail.accepted', idProvider: 3 };
  const totals = async () =>
    (await eventTotals(cloned.database)).map((one) => [one.idSite, one.event, one.idProvider, one.total]);

  it('adds what several processes counted', async () => {
    const [one, other] = [new EventCounts(), new EventCounts()];
    one.count(accepted);
    one.count(accepted);
    other.count(accepted, 5);
    other.count({ idSite: 2, event: 'hits' }, 7);
    await Promise.all([one.flush(cloned.database), other.flush(cloned.database)]);
    await one.flush(cloned.database);
    one.count(accepted);
    await one.flush(cloned.database);
    await countInTransaction(cloned.database, { idSite: 2, event: 'hits' });
    expect(await totals()).toEqual([
      [1, 'mail.accepted', 3, 8],
      [2, 'hits', 0, 8],
    ]);
  });

  it('keeps events about providers by their time, for hours', async () => {
    const counts = new EventCounts();
    counts.count(accepted, 2);
    counts.count({ idSite: 1, event: 'mail.accepted' });
    await counts.flush(cloned.database);
    counts.count({ ...accepted, event: 'mail.deferred' });
    counts.count(accepted);
    await counts.flush(cloned.database);
    const recent = async () => {
      const all = await recentTotals(cloned.database, 1);
      // The ten minutes can end between the two.
      const ofEvent = (event: string) => all.filter((one) => one.event === event);
      return ['mail.accepted', 'mail.deferred'].map((event) => [
        ofEvent(event).reduce((sum, { total }) => sum + total, 0),
        ofEvent(event).every(({ idProvider, ageS, at }) => {
          const isOfStep = Math.abs(at.getTime() / 1_000 + ageS - Date.now() / 1_000) < 30;
          return idProvider === 3 && ageS >= 0 && isOfStep && at.getTime() % 600_000 === 0;
        }),
      ]);
    };
    expect(await recent()).toEqual([
      [3, true],
      [1, true],
    ]);
    expect(await recentTotals(cloned.database, 2)).toEqual([]);
    await cloned.database.run(sql`update facteur.recent_event set at = at - interval '7 hours'`);
    expect(await recentTotals(cloned.database, 1)).toEqual([]);
    counts.count(accepted);
    await counts.flush(cloned.database);
    expect(
      await cloned.database.value<number>(sql`select count(*)::int as n from facteur.recent_event`),
    ).toBe(1);
  });

  it('keeps what it cannot flush, and adds it once, even if the lost commit had happened', async () => {
    const proxy = await tcpProxy(cloned.connection);
    const cut = openDatabase({ ...proxy.connection, max: 1 }, () => undefined);
    const counts = new EventCounts();
    counts.count(accepted);
    proxy.cut();
    await expect(counts.flush(cut)).rejects.toThrow();
    counts.count(accepted);
    proxy.restore();
    await counts.flush(cut);
    expect(await totals()).toEqual([[1, 'mail.accepted', 3, 2]]);
    // A flush whose answer is lost with its connection is repeated under its number, and adds nothing.
    counts.count(accepted);
    proxy.hold();
    const lost = counts.flush(cut);
    await until(async () => (await totals())[0]?.[3] === 3, 'it was committed');
    proxy.restore();
    await expect(lost).rejects.toThrow();
    await counts.flush(cut);
    expect(await totals()).toEqual([[1, 'mail.accepted', 3, 3]]);
    await cut.pool.end();
    await proxy.close();
  });
});
