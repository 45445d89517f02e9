import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { noisePicture } from '../testing/noise-picture.ts';
import { until } from '../testing/until.ts';
import { storePictures } from './host-pictures.ts';
import type { PictureFile } from './picture.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

it('two contents at once that have the same new pictures in other orders do not end in a deadlock', async () => {
  const picture = async (width: number): Promise<[string, PictureFile]> => {
    const content = await noisePicture(width, 4, 'jpg');
    return [`http://a.fr/${width}.jpg`, { content, type: 'jpg', width, height: 4 }];
  };
  const [a, b] = [await picture(4), await picture(5)];
  const hosting = { app: t.app, idDirectory: null, author: { id: 1, name: 'Ada' }, at: t.clock.now() };
  const fetched = (...found: [string, PictureFile][]) => ({ html: '', places: [], found: new Map(found) });
  const other = await t.db.transaction(async (tx) => {
    await storePictures(tx, fetched(a), hosting);
    const waits = t.db.transaction((tx2) => storePictures(tx2, fetched(b, a), hosting));
    const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    const waiting = sql`select from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`;
    await until(async () => (await t.db.rows(waiting)).length === 1, 'the other waits');
    await storePictures(tx, fetched(b), hosting);
    return { waits };
  });
  expect((await other.waits).result.map(({ status }) => status)).toEqual(['uploaded', 'uploaded']);
  const { n } = await t.db.one<{ n: number }>(sql`select count(*) as n from ${t.db.t.picture}`);
  expect(n).toBe(2);
});
