import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SiteTable } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { Hold } from '../testing/hold.ts';
import { kill, killWork, startWork } from '../testing/programs.ts';
import { until } from '../testing/until.ts';
import { isAlone } from '../testing/until-waiting.ts';

let t: TestApp;
const children: ChildProcess[] = [];
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
});

const tables: readonly SiteTable[] = [
  ...([
    'growth',
    'subscriber',
    'archived_subscriber',
    'target',
    'target_filter',
    'campaign',
    'segment',
  ] as const),
  'sample_data',
];

/** The number of rows of each table that sample data is in. */
async function rows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of tables)
    counts[name] = await t.db.value<number>(sql`select count(*) as n from ${t.db.t[name]}`);
  return counts;
}

/** Kills a process with SIGKILL where it is about to write a table. */
async function killAt(change: 'create' | 'remove', table: SiteTable): Promise<void> {
  const name = `${t.db.site.schema}.${table}`;
  // Readers pass, and the first writer waits.
  const hold = await Hold.of(t.connection, `lock table ${name} in exclusive mode`);
  const child = startWork(t, { sampleData: change }, { now: t.clock.now().toISOString() });
  children.push(child);
  await hold.reached();
  await killWork(child);
  await hold.letGo();
  await until(() => isAlone(t.app.control), 'the session of the killed process to end');
}

describe('sample data whose process is killed -9', () => {
  const creation = [
    'subscriber',
    'growth',
    'target',
    'target_filter',
    'campaign',
    'segment',
    'sample_data',
  ] as const;
  it.each(creation)('while it is created, before it writes %s: nothing is there', async (table) => {
    const before = await rows();
    await killAt('create', table);
    expect(await rows()).toEqual(before);
    expect(await t.call('GET', '/sample-data')).toMatchObject({ data: null });
  });

  const removal = ['sample_data', 'campaign', 'target', 'target_filter', 'subscriber', 'growth'] as const;
  it.each([...removal, 'archived_subscriber'] as const)(
    'while it is removed, before it writes %s: all of it is there, and a later call removes it',
    async (table) => {
      const made = await t.call('POST', '/sample-data', { body: {} });
      expect(made.status).toBe(200);
      const before = await rows();
      await killAt('remove', table);
      expect(await rows()).toEqual(before);
      expect(await t.call('DELETE', '/sample-data')).toMatchObject({
        data: { nbSubscribers: 200, nbTargets: 1, nbCampaigns: 1 },
      });
    },
  );
});
