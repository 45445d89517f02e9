import { afterAll, beforeAll, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit } from '../testing/make-activity.ts';
import { HitRecorder, Overloaded } from './hit-recorder.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp({ operations: [] });
});
afterAll(() => test.close());

it('holds 20,000 hits at the most, refuses more, and takes them again when it has stored', async () => {
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

it('stores what waits before it closes', async () => {
  const recorder = new HitRecorder(test.app, `${test.dataDir}/spool`);
  const hits = Array.from({ length: 50 }, (_, i) =>
    recorder.record(test.db.site.id, makeHit(2, i + 1, hitKinds.open)),
  );
  await recorder.close();
  const { n } = await test.db.one<{ n: number }>(sql`
    select count(*) as n from ${test.db.t.hit} where id_sent = 2`);
  expect(n).toBe(50);
  await Promise.all(hits);
});
