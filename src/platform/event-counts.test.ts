import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../testing/database.ts';
import { tcpProxy } from '../testing/tcp-proxy.ts';
import { until } from '../testing/until.ts';
import { openDatabase } from './db/database.ts';
import { sql } from './db/sql.ts';
import { countInTransaction, EventCounts, eventTotals } from './event-counts.ts';

describe('EventCounts', () => {
  let cloned: Awaited<ReturnType<typeof cloneDatabase>>;
  beforeAll(async () => {
    cloned = await cloneDatabase();
  });
  afterAll(() => cloned.close());
  beforeEach(() => cloned.database.run(sql`truncate facteur.event_count, facteur.event_flush`));

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
