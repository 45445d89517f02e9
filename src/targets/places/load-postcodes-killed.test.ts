import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { killWork, startWork } from '../../testing/programs.ts';
import { until } from '../../testing/until.ts';
import { isAlone, isCopying } from '../../testing/until-waiting.ts';
import type { Work } from '../../testing/work-process.ts';
import { targetsOperations } from '../operations.ts';
import { readPostcodes } from './postcode-store.ts';

let t: TestApp;
let file: string;
let children: ChildProcess[] = [];
const lines = 200_000;
beforeAll(async () => {
  t = await testApp({ operations: targetsOperations });
  const folder = siteFolderPath(t.dataDir, t.db.site.id);
  mkdirSync(folder, { recursive: true });
  file = join(folder, 'FR.txt');
  const line = (i: number) => {
    const code = String(1_000 + (i % 90_000)).padStart(5, '0');
    return [`FR`, code, `Place ${i}`, '', '', '', '', '', '', '45.5', '4.5', '6'].join('\t');
  };
  writeFileSync(file, `${Array.from({ length: lines }, (_, i) => line(i)).join('\n')}\n`);
});
afterAll(() => t.close());
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

const known = async () => ({
  rows: await t.app.control.one(sql`
    select count(*)::int as nb, md5(string_agg(p::text, '' order by country, code)) as all from facteur.postcode p`),
  loads: await t.app.control.rows(sql`select * from facteur.postcode_load order by country`),
});
const stages = () => t.app.control.rows(sql`select from pg_class where relname = 'postcode_stage'`);

describe.each(['facteur postcodes load', 'POST /admin/v1/postcodes'])('%s', (way) => {
  const work = (): Work =>
    way.startsWith('facteur')
      ? { postcodes: file }
      : {
          calls: [['POST', '/admin/v1/postcodes', { idsite: 'demo', filename: 'FR.txt' }]],
          token: t.token('admin'),
        };
  const start = (): ChildProcess => {
    const child = startWork(t, work(), { now: t.clock.now().toISOString() });
    children.push(child);
    return child;
  };

  test.each([
    ['old rows', `select from facteur.postcode where country = 'FR' and code = '75001' for update`],
    ['note of the load', `select from facteur.postcode_load where country = 'FR' for update`],
  ])(
    'killed -9 at the %s: the table is the whole old one',
    async (_, lock) => {
      const before = await known();
      const hold = await Hold.of(t.connection, lock);
      const child = start();
      await hold.reached();
      await killWork(child);
      await hold.letGo();
      await until(() => isAlone(t.app.control), 'the session of the killed to end');
      expect([await known(), await stages()]).toEqual([before, []]);
      expect((await readPostcodes(t.app.control)).find('FRANCE', '75001')?.latitude).toBe(48.8626);
    },
    120_000,
  );

  test('killed -9 while lines go in: the table is the whole old one', async () => {
    const before = await known();
    const child = start();
    await until(() => isCopying(t.app.control), 'the lines to go in');
    await killWork(child);
    await until(() => isAlone(t.app.control), 'the session of the killed to end');
    expect([await known(), await stages()]).toEqual([before, []]);
  });
});

test('the next load goes through: nothing of the killed is in its way', async () => {
  const loaded = await t.call('POST', '/admin/v1/postcodes', {
    body: { idsite: 'demo', filename: 'FR.txt' },
  });
  expect(loaded).toMatchObject({
    status: 200,
    data: { lines, bad: 0, countries: [{ country: 'FR', codes: 90_000 }] },
  });
  expect((await readPostcodes(t.app.control)).find('FRANCE', '75001')?.latitude).toBe(45.5);
});
