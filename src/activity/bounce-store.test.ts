import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { type Bounce, bounceClasses } from './bounce.ts';
import { recordBounce } from './bounce-store.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

const bounce: Bounce = {
  idSent: 1,
  idSubscriber: 2,
  class: bounceClasses.hard,
  status: '5.1.1',
  diagnostic: `550 no\0body ${'x'.repeat(5_000)}`,
  at: new Date('2026-11-20T10:00:00Z'),
  digest: createHash('sha256').update('report').digest(),
};

describe('bounces', () => {
  it('are recorded once per report, with what PostgreSQL can keep of the words', async () => {
    expect(await recordBounce(site.db, bounce)).toBe(true);
    expect(await recordBounce(site.db, bounce)).toBe(false);
    const other = createHash('sha256').update('another report').digest();
    expect(await recordBounce(site.db, { ...bounce, digest: other })).toBe(true);
    const rows = await site.db.rows<{ diagnostic: string }>(sql`select diagnostic from ${site.db.t.bounce}`);
    expect(rows.map((row) => row.diagnostic.slice(0, 11))).toEqual(['550 nobody ', '550 nobody ']);
    expect(rows[0]?.diagnostic).toHaveLength(2_000);
  });
});
