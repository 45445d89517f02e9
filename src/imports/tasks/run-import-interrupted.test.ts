import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { until } from '../../testing/until.ts';
import type { Import } from '../import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

const file = 'email;name\na@example.com;x\n';

/** Does something when an import has read its file and is about to merge it. */
async function meddle(id: number, what: () => Promise<unknown>): Promise<Import> {
  const running = await t.db.transaction(async (tx) => {
    // What two merges of a site take turns with.
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`merge ${t.db.site.schema}`}, 0))`);
    const run = tester.run(id);
    run.catch(() => undefined);
    await until(async () => (await t.db.rows(waiting)).length > 0, 'the import waits for its turn');
    await what();
    return { run };
  });
  return running.run;
}
const waiting = sql`
  select pid from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;

describe('between reading and merging', () => {
  test('a crash of PostgreSQL that empties the staging table makes the file be read again', async () => {
    tester.put(file);
    const { id } = await tester.make({});
    const done = await meddle(id, () => t.db.run(sql`truncate ${t.db.name(`import_${id}_1_stage`)}`));
    expect(done).toMatchObject({ importState: 'Completed', lastImportLog: { nbInserts: 1, totalRows: 1 } });
    expect(await tester.people()).toHaveLength(1);
  });

  test('an end that another run has written makes this one undo all', async () => {
    tester.put(file);
    const { id } = await tester.make({});
    await meddle(id, () => t.db.run(sql`update ${t.db.t.import} set state = 'Completed' where id = ${id}`));
    expect(await tester.people()).toEqual([]);
  });
});

describe('deleteFile', () => {
  const isThere = () => existsSync(join(tester.folder, 'people.csv'));

  test('deletes the file that was read, and not the next one of its name', async () => {
    const { id } = await tester.import(file, { deleteFile: true });
    await tester.finish(id);
    expect(isThere()).toBe(false);
    tester.put('email;name\nnext@example.com;y\n');
    // The job runs again, for instance because the notice could not be sent.
    await tester.finish(id);
    expect(isThere()).toBe(true);
  });
});
