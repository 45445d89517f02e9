import { readdir, readFile, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import type { HitPack } from '../activity/packed-hits.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit, packHits } from '../testing/make-activity.ts';
import { HitRecorder, Overloaded } from './hit-recorder.ts';
import { HitSpool } from './hit-spool.ts';
import type { SiteFacts } from './spool-record.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp({ operations: [] });
});
afterAll(() => test.close());

async function readersOf(idSent: number): Promise<number[]> {
  const rows = await test.db.rows<{ id: number }>(sql`
    select id_subscriber as id from ${test.db.t.hit} where id_sent = ${idSent} order by 1`);
  return rows.map((row) => row.id);
}

it('holds 20,000 hits at most, refuses more, and takes them again when it has stored', async () => {
  const recorder = new HitRecorder(test.app, `${test.dataDir}/spool`);
  const record = (idSubscriber: number) =>
    recorder.record(test.db.site.id, makeHit(1, idSubscriber, hitKinds.open));
  const results = await Promise.allSettled(Array.from({ length: 20_010 }, (_, i) => record(i + 1)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(10);
  expect(refused.every((reason) => reason instanceof Overloaded)).toBe(true);
  await record(20_011);
  await recorder.close();
  const { n } = await test.db.one<{ n: number }>(sql`select count(*) as n from ${test.db.t.hit}`);
  expect(n).toBe(20_001);
});

it('refuses a hit that no column could hold, and takes the others of its batch', async () => {
  const recorder = new HitRecorder(test.app, `${test.dataDir}/spool`);
  const record = (idSubscriber: number, address: string | null) =>
    recorder.record(test.db.site.id, makeHit(3, idSubscriber, hitKinds.open, { address }));
  const results = await Promise.allSettled([record(1, null), record(2, 'no address'), record(3, null)]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await recorder.settle();
  expect(await readersOf(3)).toEqual([1, 3]);
  await recorder.close();
});

it('stores what an earlier run left, and keeps what the database will never take apart', async () => {
  const dir = `${test.dataDir}/earlier`;
  const spool = new HitSpool(dir);
  const facts = (pack: HitPack) => [{ idSite: test.db.site.id, pack, unsubscriptions: [] }];
  const open = (id: number) => packHits([makeHit(4, id, hitKinds.open)]);
  await spool.append(facts(open(1)));
  await spool.append(facts({ size: 1, hits: 'a\u0000b' }));
  // As it was written before hits were packed.
  await spool.append([{ idSite: test.db.site.id, hits: [], unsubscriptions: [] } as unknown as SiteFacts]);
  await spool.append(facts(open(2)));
  await spool.finish();
  // As if its process had ended: no process has this number.
  const [name = ''] = await readdir(dir);
  const [host, , ...rest] = name.split('-');
  await rename(join(dir, name), join(dir, [host, 2 ** 22 + 1, ...rest].join('-')));
  const recorder = new HitRecorder(test.app, dir);
  await recorder.settle();
  expect(await readersOf(4)).toEqual([1, 2]);
  const [kept = '', ...others] = await readdir(dir);
  expect([kept, others]).toEqual([expect.stringMatching(/\.refused$/), []]);
  const lines = (await readFile(join(dir, kept), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).sites[0].pack?.hits)).toEqual(['a\u0000b', undefined]);
  await recorder.close();
});

it('puts a file by that is so old that the database may have forgotten what of it is stored', async () => {
  const dir = `${test.dataDir}/old`;
  const spool = new HitSpool(dir);
  await spool.append([
    { idSite: test.db.site.id, pack: packHits([makeHit(5, 1, hitKinds.open)]), unsubscriptions: [] },
  ]);
  await spool.finish();
  const [name = ''] = await readdir(dir);
  const longAgo = new Date(Date.now() - 30 * 86_400_000);
  await utimes(join(dir, name), longAgo, longAgo);
  const recorder = new HitRecorder(test.app, dir);
  await recorder.settle();
  expect(await readersOf(5)).toEqual([]);
  expect(await readdir(dir)).toEqual([expect.stringMatching(/\.old$/)]);
  await recorder.close();
});

it('stores what waits before it closes', async () => {
  const recorder = new HitRecorder(test.app, `${test.dataDir}/spool`);
  const hits = Array.from({ length: 50 }, (_, i) =>
    recorder.record(test.db.site.id, makeHit(2, i + 1, hitKinds.open)),
  );
  await recorder.close();
  expect(await readersOf(2)).toHaveLength(50);
  expect(await readdir(`${test.dataDir}/spool`)).toEqual([]);
  await Promise.all(hits);
});
