import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { siteFolderPath } from '../files/sftp-server.ts';
import { advisoryLock, openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { Hold } from '../testing/hold.ts';
import { appOver } from '../testing/make-app.ts';
import { beginLoads, withLoadedFiles } from './file-loads.ts';
import { targetsOperations } from './operations.ts';

let t: TestApp;
let folder: string;
beforeAll(async () => {
  t = await testApp({ operations: targetsOperations });
  folder = siteFolderPath(t.dataDir, t.db.site.id);
  mkdirSync(folder, { recursive: true });
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1)
    select i, 's' || i || '@example.org' from generate_series(1, 10) i`);
});
afterAll(() => t.close());

const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
const make = async (name: string) =>
  ((await t.call('POST', '/targets', { body: { name } })).data as { id: number }).id;
const set = (idTarget: number, filename: string) =>
  t.call('PUT', '/targets/filters/file', {
    body: { idTarget, filename, dbFieldName: 'fld1', fileAutomaticDeletionDate: '2027-12-01T00:00:00Z' },
  });
const count = (id: number) => t.call('GET', `/targets/${id}/count`);
const loads = async (filename: string) =>
  (await t.db.rows(sql`select id from ${t.db.t.filter_file} where filename = ${filename}`)).length;

/** Blocks all loads of values until it is released. */
const holdLoads = () =>
  Hold.of(t.connection, `lock table ${t.db.site.schema}.filter_file_value in exclusive mode`);
/** Blocks the load of the file for field 1 until it is released. */
const holdFile = (name: string) =>
  Hold.of(t.connection, advisoryLock(`filter-file ${t.db.site.schema} 1 ${name}`));

const isLoading = (filename: string) => ({
  status: 503,
  headers: { 'x-error-code': 'loading', 'retry-after': '5' },
  error: expect.stringMatching(
    `^The file ${filename} is being loaded \\([0-9]+ values so far\\); repeat the request in a few seconds$`,
  ),
});

test('503 loading for everybody who needs a file that takes long, and no one else waits for it', async () => {
  write('changed.csv', 's1@example.org\n');
  const [changed, fresh, plain] = [await make('changed'), await make('fresh'), await make('plain')];
  expect(await set(changed, 'changed.csv')).toMatchObject({ status: 200 });
  write('changed.csv', 's1@example.org\ns2@example.org\n');
  write('fresh.csv', 's3@example.org\ns4@example.org\ns5@example.org\n');
  const hold = await holdLoads();
  const waiting = Promise.all([
    set(fresh, 'fresh.csv'),
    count(changed),
    t.call('GET', `/targets/${changed}/subscriber-ids`),
    t.call('GET', `/targets/${changed}/description`),
  ]);
  await hold.reached(2);
  // More than the places of the site, of those who wait; and the target whose filter is being set is free.
  expect(await count(plain)).toMatchObject({ status: 200, data: 10 });
  const sqlFilter = { idTarget: fresh, sql: 'fld0 < 5' };
  expect(await t.call('PUT', '/targets/filters/sql', { body: sqlFilter })).toMatchObject({ status: 200 });

  const [atSet, atCount, atIds, described] = await waiting;
  expect(atSet).toMatchObject(isLoading('fresh.csv'));
  expect(atCount).toMatchObject(isLoading('changed.csv'));
  expect(atIds).toMatchObject(isLoading('changed.csv'));
  expect(described).toMatchObject({
    status: 200,
    data: expect.stringContaining('Attention : le fichier est en train d’être chargé'),
  });
  expect(await t.call('GET', `/targets/${fresh}/filters/file`)).toMatchObject({ data: { filename: null } });

  // The loads continued; anyone who comes back joins them.
  const again = Promise.all([set(fresh, 'fresh.csv'), count(changed)]);
  await hold.letGo();
  expect(await again).toMatchObject([{ status: 200 }, { status: 200, data: 2 }]);
  expect(await count(fresh)).toMatchObject({ status: 200, data: 2 });
  expect([await loads('fresh.csv'), await loads('changed.csv')]).toEqual([1, 2]);
});

test('a repeated request reports why the load failed, without reading the file again', async () => {
  const id = await make('broken');
  write('broken.csv', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
  const whole = await holdFile('broken.csv');
  expect(await set(id, 'broken.csv')).toMatchObject(isLoading('broken.csv'));
  await whole.letGo();
  const failed = { status: 400, error: expect.stringMatching(/^filename: The file cannot be unpacked/) };
  expect(await set(id, 'broken.csv')).toMatchObject(failed);
  // A load of it would wait for this.
  const again = await holdFile('broken.csv');
  expect(await set(id, 'broken.csv')).toMatchObject(failed);
  await again.letGo();
  // Another file is another matter.
  write('broken.csv', 's1@example.org\n');
  expect(await set(id, 'broken.csv')).toMatchObject({ status: 200 });
});

test('409 when the file changes while it is loaded, and what there was before stays', async () => {
  const id = await make('growing');
  write('growing.csv', 's1@example.org\n');
  expect(await set(id, 'growing.csv')).toMatchObject({ status: 200 });
  write('growing.csv', 's1@example.org\ns2@example.org\n');
  const hold = await holdLoads();
  const counted = count(id);
  await hold.reached();
  write('growing.csv', 's1@example.org\ns2@example.org\ns3@example.org\n');
  await hold.letGo();
  expect(await counted).toMatchObject({
    status: 409,
    error: 'A file filter cannot be used: The file growing.csv is being written; try again when it is whole',
  });
  expect(await loads('growing.csv')).toBe(1);
  expect(await count(id)).toMatchObject({ status: 200, data: 3 });
});

test('409 when it changes while a filter is set on it, and there is no filter', async () => {
  const id = await make('arriving');
  write('arriving.csv', 's1@example.org\n');
  const hold = await holdLoads();
  const answer = set(id, 'arriving.csv');
  await hold.reached();
  write('arriving.csv', 's1@example.org\ns2@example.org\n');
  await hold.letGo();
  expect(await answer).toMatchObject({
    status: 409,
    error: 'A file filter cannot be used: The file arriving.csv is being written; try again when it is whole',
  });
  expect(await t.call('GET', `/targets/${id}/filters/file`)).toMatchObject({ data: { filename: null } });
  expect(await loads('arriving.csv')).toBe(0);
});

test('a file that takes longer than a statement of a request may is loaded', async () => {
  write('long.csv', 's1@example.org\n');
  // Every statement takes longer than these.
  const control = openDatabase({ ...t.connection, query_timeout: 1 }, () => undefined);
  const app = { ...appOver(t.app, control), background: t.app };
  let isBegun = false;
  const work = async (): Promise<void> => {
    if (isBegun) return;
    isBegun = true;
    throw await beginLoads(app, t.db, [{ filename: 'long.csv', dbFieldName: 'fld1', until: t.clock.now() }]);
  };
  await withLoadedFiles(work, null);
  expect(await loads('long.csv')).toBe(1);
  await control.pool.end();
});
