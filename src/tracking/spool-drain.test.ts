import { readdir, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit, packHits } from '../testing/make-activity.ts';
import { appOver } from '../testing/make-app.ts';
import { tcpProxy } from '../testing/tcp-proxy.ts';
import { HitRecorder } from './hit-recorder.ts';
import { HitSpool } from './hit-spool.ts';

let test: TestApp;
let dir: string;
let recorder: HitRecorder;
beforeEach(async () => {
  test = await testApp({ operations: [] });
  dir = join(test.dataDir, 'spool');
});
afterEach(async () => {
  await recorder.close();
  await test.close();
});

async function readersOf(db: SiteDb): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`
    select id_subscriber as id from ${db.t.hit} order by id_subscriber`);
  return rows.map((row) => row.id);
}

const open = (id: number) => makeHit(1, id, hitKinds.open);
const record = (db: SiteDb, id: number) => recorder.record(db.site.id, open(id));
const untilStored = (db: SiteDb, ids: number[]) =>
  vi.waitFor(async () => expect(await readersOf(db)).toEqual(ids), { timeout: 100_000, interval: 20 });

/** Keeps others from a table of the site; gives it free again. */
async function lock(db: SiteDb): Promise<() => Promise<void>> {
  const client = await test.app.control.pool.connect();
  await client.query('begin');
  await client.query(`lock table ${db.t.hit_source.text} in access exclusive mode`);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

describe('a site that cannot store its hits', () => {
  it('stays behind while its tables are locked, and the others continue', async () => {
    const { db, otherDb } = test;
    recorder = new HitRecorder(test.app, dir);
    await record(db, 1);
    await recorder.settle();
    const free = await lock(db);
    await Promise.all([record(db, 2), record(otherDb, 1)]);
    await untilStored(otherDb, [1]);
    await Promise.all([record(db, 3), record(otherDb, 2)]);
    await untilStored(otherDb, [1, 2]);
    await expect(recorder.settle()).rejects.toThrow(`cannot store their hits now: ${db.site.id}`);
    expect(test.app.control.pool.waitingCount).toBe(0);
    await free();
    await record(db, 4);
    await recorder.settle();
    expect(await readersOf(db)).toEqual([1, 2, 3, 4]);
    expect(await readersOf(otherDb)).toEqual([1, 2]);
  });

  it('has its file kept until it can, also by the next start', async () => {
    const { db, otherDb } = test;
    recorder = new HitRecorder(test.app, dir);
    const free = await lock(db);
    await Promise.all([record(db, 1), record(otherDb, 1)]);
    await untilStored(otherDb, [1]);
    await recorder.close();
    expect(await readdir(dir)).toHaveLength(1);
    await free();
    recorder = new HitRecorder(test.app, dir);
    await recorder.settle();
    expect([await readersOf(db), await readersOf(otherDb)]).toEqual([[1], [1]]);
    expect(await readdir(dir)).toEqual([]);
  });

  it('has its hits quarantined when its tables are missing, to be stored again when they exist', async () => {
    const { db, otherDb } = test;
    recorder = new HitRecorder(test.app, dir);
    await db.run(sql`alter table ${db.t.hit_batch} rename to elsewhere`);
    for (const id of [1, 2, 3]) await Promise.all([record(db, id), record(otherDb, id)]);
    await recorder.settle();
    await recorder.close();
    expect(await readersOf(otherDb)).toEqual([1, 2, 3]);
    const [name = '', ...others] = await readdir(dir);
    expect([name, others]).toEqual([expect.stringMatching(/\.refused$/), []]);
    await db.run(sql`alter table ${db.name('elsewhere')} rename to hit_batch`);
    for (const times of [1, 2]) {
      const lines = await readFile(join(dir, name));
      await rename(join(dir, name), join(dir, name.replace('.refused', '.hits')));
      recorder = new HitRecorder(test.app, dir);
      await record(db, 3 + times);
      await recorder.settle();
      await recorder.close();
      if (times === 1) await writeFile(join(dir, name), lines);
    }
    expect(await readersOf(db)).toEqual([1, 2, 3, 4, 5]);
    expect(await readersOf(otherDb)).toEqual([1, 2, 3]);
  });
});

describe('files of other origin', () => {
  it('do not keep others from being stored: lines that are no records, a line without end', async () => {
    const spool = new HitSpool(dir);
    const pack = packHits([open(1)]);
    await spool.append([{ idSite: test.db.site.id, pack, unsubscriptions: [] }]);
    await spool.finish();
    const [name = ''] = await readdir(dir);
    const named = (chance: string) => join(dir, name.replace(/[0-9a-f]+\.hits$/, `${chance}.hits`));
    await writeFile(named('0'), 'null\n{"sites":7}\n\xff\0\n', 'latin1');
    await writeFile(named('1'), '');
    await truncate(named('1'), 80 * 1024 ** 2);
    recorder = new HitRecorder(test.app, dir);
    await recorder.settle();
    expect(await readersOf(test.db)).toEqual([1]);
    const left = (await readdir(dir)).map((one) => one.slice(one.lastIndexOf('.'))).sort();
    expect(left).toEqual(['.old', '.refused']);
  });
});

it('ends though the database hangs, and the next start stores what was answered', async () => {
  const proxy = await tcpProxy(test.connection);
  const control = openDatabase({ ...proxy.connection, max: 5 }, () => undefined);
  try {
    recorder = new HitRecorder(appOver(test.app, control), dir);
    await record(test.db, 1);
    await recorder.settle();
    proxy.hold();
    await record(test.db, 2);
    await recorder.close();
    expect(await readersOf(test.db)).toEqual([1]);
    recorder = new HitRecorder(test.app, dir);
    await untilStored(test.db, [1, 2]);
  } finally {
    proxy.restore();
    await control.pool.end();
    await proxy.close();
  }
});
