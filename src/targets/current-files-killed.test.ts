import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { siteFolderPath } from '../files/sftp-server.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { Hold } from '../testing/hold.ts';
import { killWork, startWork } from '../testing/programs.ts';
import { until } from '../testing/until.ts';
import { isAlone, isCopying } from '../testing/until-waiting.ts';
import type { Work } from '../testing/work-process.ts';
import { targetsOperations } from './operations.ts';
import { tidyFilterFiles } from './tidy-filter-files.ts';

let t: TestApp;
let folder: string;
let children: ChildProcess[] = [];
beforeAll(async () => {
  t = await testApp({ operations: targetsOperations });
  folder = siteFolderPath(t.dataDir, t.db.site.id);
  mkdirSync(folder, { recursive: true });
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1)
    select i, 's' || i || '@example.org' from generate_series(1, 1000) i`);
});
afterAll(() => t.close());
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

function start(work: Work): ChildProcess {
  const child = startWork(t, work, { now: t.clock.now().toISOString() });
  children.push(child);
  return child;
}

let written = 0;
/** Writes a list of subscribers, then of as many strangers as requested. */
function write(name: string, ids: readonly number[], strangers = 0): void {
  const lines = ids.map((id) => `s${id}@example.org\n`);
  const others = Array.from({ length: strangers }, (_, i) => `nobody${i}@example.org\n`);
  writeFileSync(join(folder, name), lines.concat(others).join(''));
  const at = new Date(Date.UTC(2026, 0, 1) + ++written * 1000);
  utimesSync(join(folder, name), at, at);
}

async function make(filename: string, fileAutomaticDeletionDate = '2027-12-01T00:00:00Z'): Promise<number> {
  const { id } = (await t.call('POST', '/targets', { body: { name: filename } })).data as { id: number };
  const body = { idTarget: id, filename, dbFieldName: 'fld1', fileAutomaticDeletionDate };
  expect(await t.call('PUT', '/targets/filters/file', { body })).toMatchObject({ status: 200 });
  return id;
}

const path = (id: number, of: string) => `/v1/demo/targets/${id}/${of}`;
const startCount = (id: number) => start({ calls: [['GET', path(id, 'count')]], token: t.token('sender') });
/** Repeats a call while its file is being loaded: on a busy machine that takes longer than a request waits. */
async function read(id: number, of: string): Promise<unknown> {
  const path = `/targets/${id}/${of}`;
  let reply = await t.call('GET', path);
  while (reply.headers['x-error-code'] === 'loading') reply = await t.call('GET', path);
  return reply.data;
}
const ids = (id: number) => read(id, 'subscriber-ids');
const count = (id: number) => read(id, 'count');

/** Loads of a file, each with how many values are there for it. */
const loads = async (filename: string) =>
  t.db.rows<{ said: number; there: number }>(sql`
    select f.nb_values as said,
      (select count(*)::int from ${t.db.t.filter_file_value} v where v.id_file = f.id) as there
    from ${t.db.t.filter_file} f where f.filename = ${filename} order by f.id`);
const orphans = async () =>
  t.db.rows(sql`
    select distinct id_file from ${t.db.t.filter_file_value} v
    where not exists (select from ${t.db.t.filter_file} f where f.id = v.id_file)`);
const stages = async () => t.db.rows(sql`select from pg_class where relname = 'filter_file_stage'`);
const schemaOf = () => t.db.site.schema;

/** Nothing of a killed load is left: no values without their file, no table of its session, no file of its own. */
async function expectNothingLeft(): Promise<void> {
  await until(() => isAlone(t.app.control), 'the session of the killed to end');
  expect(await stages()).toEqual([]);
  expect(await orphans()).toEqual([]);
  const tmp = join(t.dataDir, 'tmp');
  expect(existsSync(tmp) ? readdirSync(tmp) : []).toEqual([]);
}

test('killed -9 while its lines go to the staging table: the old set stays, the next use has the new one', async () => {
  write('copied.csv', [1, 2, 3]);
  const id = await make('copied.csv');
  write('copied.csv', [4, 5], 300_000);
  const child = startCount(id);
  await until(() => isCopying(t.app.control), 'the lines to go in');
  await killWork(child);
  expect(await loads('copied.csv')).toEqual([{ said: 3, there: 3 }]);
  await expectNothingLeft();
  expect(await ids(id)).toEqual([4, 5]);
  expect(await loads('copied.csv')).toEqual([
    { said: 3, there: 3 },
    { said: 300_002, there: 300_002 },
  ]);
});

test.each([
  ['before its values', (s: string) => `lock table ${s}.filter_file_value in exclusive mode`],
  ['before it is noted', (s: string) => `lock table ${s}.filter_file in exclusive mode`],
])(
  'killed -9 %s: neither half a set nor a second one',
  async (when, lock) => {
    const name = `${when.replaceAll(' ', '-')}.csv`;
    write(name, [1, 2, 3]);
    const id = await make(name);
    write(name, [4, 5]);
    const hold = await Hold.of(t.connection, lock(schemaOf()));
    const child = startCount(id);
    await hold.reached();
    await killWork(child);
    // Others continue reading what there is while the dead one's connection still waits.
    expect(await loads(name)).toEqual([{ said: 3, there: 3 }]);
    await hold.letGo();
    await expectNothingLeft();
    expect(await loads(name)).toEqual([{ said: 3, there: 3 }]);
    expect(await ids(id)).toEqual([4, 5]);
    expect(await loads(name)).toEqual([
      { said: 3, there: 3 },
      { said: 2, there: 2 },
    ]);
  },
  120_000,
);

test('killed -9 when its first file is loaded: the filter is not set, and can be', async () => {
  write('first.csv', [7, 8]);
  const { id } = (await t.call('POST', '/targets', { body: { name: 'first' } })).data as { id: number };
  const body = {
    idTarget: id,
    filename: 'first.csv',
    dbFieldName: 'fld1',
    fileAutomaticDeletionDate: '2027-12-01T00:00:00Z',
  };
  const hold = await Hold.of(t.connection, `lock table ${schemaOf()}.target_filter in exclusive mode`);
  const child = start({ calls: [['PUT', '/v1/demo/targets/filters/file', body]], token: t.token('sender') });
  await hold.reached();
  await killWork(child);
  await hold.letGo();
  await expectNothingLeft();
  // Whole, whether a filter uses it or not; `tidyFilterFiles` takes what none does.
  expect(await loads('first.csv')).toEqual([{ said: 2, there: 2 }]);
  expect(await t.call('GET', `/targets/${id}/filters/file`)).toMatchObject({ data: { filename: null } });
  expect(await t.call('PUT', '/targets/filters/file', { body })).toMatchObject({ status: 200 });
  expect(await ids(id)).toEqual([7, 8]);
});

const tidy = () => tidyFilterFiles.run(t.app, { idSite: t.db.site.id }, new AbortController().signal);

test.each([
  // It looks for what is due: nothing is done yet.
  ['at its beginning', (s: string) => `lock table ${s}.target_filter in access exclusive mode`, true],
  // The file no longer exists, and its values wait to go.
  [
    'after the file',
    (s: string) => `select from ${s}.filter_file where filename like 'due-%' for update`,
    false,
  ],
  // The values no longer exist, and the filter is to be noted as ended.
  ['after the values', (s: string) => `select from ${s}.target_filter where kind = 'file' for update`, false],
])(
  'killed -9 while it tidies at the date of deletion, %s: nobody is selected, and the next run does the rest',
  async (when, lock, isFileThere) => {
    const name = `due-${when.replaceAll(' ', '-')}.csv`;
    const until = new Date(t.clock.now().getTime() + 3_600_000).toISOString();
    write(name, [1, 2, 3]);
    const id = await make(name, until);
    expect(await count(id)).toBe(3);
    t.clock.advance(3_600_000);
    const hold = await Hold.of(t.connection, lock(schemaOf()));
    const child = start({ tidy: true });
    await hold.reached();
    await killWork(child);
    expect(existsSync(join(folder, name))).toBe(isFileThere);
    await hold.letGo();
    // All or nothing of the values, and nobody either way.
    expect([[], [{ said: 3, there: 3 }]]).toContainEqual(await loads(name));
    expect(await count(id)).toBe(0);
    await tidy();
    expect([existsSync(join(folder, name)), await loads(name), await orphans()]).toEqual([false, [], []]);
    expect(await count(id)).toBe(0);
    // It is done once: a later file of that name is another caller's.
    write(name, [1]);
    await tidy();
    expect([existsSync(join(folder, name)), await count(id)]).toEqual([true, 0]);
  },
  120_000,
);
