import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { siteFolderPath } from '../files/sftp-server.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { targetsOperations } from './operations.ts';
import { tidyFilterFiles } from './tidy-filter-files.ts';

const hour = 3_600_000;

describe('tidyFilterFiles', () => {
  let t: TestApp;
  let folder: string;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    folder = siteFolderPath(t.dataDir, t.db.site.id);
    mkdirSync(folder, { recursive: true });
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1) select i, 's' || i || '@example.org' from generate_series(1, 3) i`);
  });
  afterAll(() => t.close());

  const path = (name: string) => join(folder, name);
  const inHours = (hours: number) => new Date(t.clock.now().getTime() + hours * hour).toISOString();
  const run = (idSite: number | null = null) =>
    tidyFilterFiles.run(t.app, { idSite }, new AbortController().signal);
  const valuesOf = async (filename: string) =>
    (
      await t.db.rows(sql`
      select v.value from ${t.db.t.filter_file} f join ${t.db.t.filter_file_value} v on v.id_file = f.id
      where f.filename = ${filename}`)
    ).length;
  const count = (id: number) => t.call('GET', `/targets/${id}/count`);

  async function make(filename: string, hours: number): Promise<number> {
    writeFileSync(path(filename), 's1@example.org\ns2@example.org\n');
    const { id } = (await t.call('POST', '/targets', { body: { name: filename } })).data as { id: number };
    const body = { idTarget: id, filename, dbFieldName: 'fld1', fileAutomaticDeletionDate: inHours(hours) };
    expect(await t.call('PUT', '/targets/filters/file', { body })).toMatchObject({ status: 200 });
    return id;
  }

  it('deletes the others when one cannot be deleted, and reports that one', async () => {
    const [stuck, other] = [await make('a-stuck.csv', 1), await make('b.csv', 1)];
    rmSync(path('a-stuck.csv'));
    mkdirSync(path('a-stuck.csv'));
    t.clock.advance(hour);
    await expect(run(t.db.site.id)).rejects.toThrow('1 filter files could not be deleted');
    expect([existsSync(path('b.csv')), await valuesOf('b.csv')]).toEqual([false, 0]);
    expect([await count(stuck), await count(other)]).toMatchObject([{ data: 0 }, { data: 0 }]);
    rmSync(path('a-stuck.csv'), { recursive: true });
    await run(t.db.site.id);
    expect(await valuesOf('a-stuck.csv')).toBe(0);
  });

  it('deletes a file with its values at its date, once, and leaves the others', async () => {
    const [soon, later] = [await make('soon.csv', 1), await make('later.csv', 5)];
    await run();
    expect([existsSync(path('soon.csv')), await valuesOf('soon.csv')]).toEqual([true, 2]);
    t.clock.advance(hour);
    // The date holds by itself; the job only clears away.
    expect(await count(soon)).toMatchObject({ status: 200, data: 0 });
    await run(t.db.site.id);
    expect([existsSync(path('soon.csv')), await valuesOf('soon.csv')]).toEqual([false, 0]);
    expect([existsSync(path('later.csv')), await valuesOf('later.csv')]).toEqual([true, 2]);
    expect(await count(soon)).toMatchObject({ status: 200, data: 0 });
    expect(await count(later)).toMatchObject({ status: 200, data: 2 });
    // A later file of that name is another caller's.
    writeFileSync(path('soon.csv'), 's3@example.org\n');
    await run();
    await run(t.db.site.id);
    expect(existsSync(path('soon.csv'))).toBe(true);
  });

  it('continues where it was killed: after the file, before its values', async () => {
    const id = await make('killed.csv', 1);
    t.clock.advance(hour);
    rmSync(path('killed.csv'));
    await run();
    expect(await valuesOf('killed.csv')).toBe(0);
    expect(await count(id)).toMatchObject({ data: 0 });
  });

  it('forgets what was still being loaded when the file was deleted at its date', async () => {
    const id = await make('late.csv', 1);
    t.clock.advance(hour);
    await run();
    const { t: tables } = t.db;
    await t.db.run(sql`
      with late as (
        insert into ${tables.filter_file}
          (filename, id_field, field_type, size, modified_at, loaded_at, nb_values, nb_bad)
        values ('late.csv', 1, 'Text', 1, now(), ${t.clock.now()}, 1, 0) returning id)
      insert into ${tables.filter_file_value} select id, 's1@example.org' from late`);
    expect(await count(id)).toMatchObject({ data: 0 });
    t.clock.advance(hour + 1);
    await run();
    expect(await valuesOf('late.csv')).toBe(0);
  });

  it('is requested at the date that is set, and that date is requested once', async () => {
    const at = inHours(48);
    for (const name of ['one.csv', 'two.csv']) {
      writeFileSync(path(name), 's1@example.org\n');
      const { id } = (await t.call('POST', '/targets', { body: { name } })).data as { id: number };
      const body = { idTarget: id, filename: name, dbFieldName: 'fld1', fileAutomaticDeletionDate: at };
      await t.call('PUT', '/targets/filters/file', { body });
    }
    const { rows } = await t.app.control.pool.query(
      `select run_at from graphile_worker.jobs where task_identifier = 'tidyFilterFiles' and run_at = $1`,
      [at],
    );
    expect(rows.length).toBe(1);
  });

  it('a copy of a target has the same file; that is deleted once for both', async () => {
    const id = await make('copied.csv', 1);
    const copy = ((await t.call('POST', '/targets/duplicate', { body: id })).data as { id: number }).id;
    expect(await count(copy)).toMatchObject({ data: 2 });
    t.clock.advance(hour);
    await run();
    expect(existsSync(path('copied.csv'))).toBe(false);
    const late = ((await t.call('POST', '/targets/duplicate', { body: copy })).data as { id: number }).id;
    writeFileSync(path('copied.csv'), 's3@example.org\n');
    await run();
    expect([existsSync(path('copied.csv')), (await count(late)).data]).toEqual([true, 0]);
  });

  it('forgets values that no filter uses, and older ones of a file that has changed, an hour later', async () => {
    const [kept, deleted] = [await make('kept.csv', 100), await make('deleted.csv', 100)];
    writeFileSync(path('kept.csv'), 's1@example.org\n');
    expect(await count(kept)).toMatchObject({ data: 1 });
    await t.call('DELETE', `/targets/${deleted}`);
    await run();
    expect([await valuesOf('kept.csv'), await valuesOf('deleted.csv')]).toEqual([3, 2]);
    t.clock.advance(hour + 1);
    await run();
    expect([await valuesOf('kept.csv'), await valuesOf('deleted.csv')]).toEqual([1, 0]);
    expect(existsSync(path('deleted.csv'))).toBe(true);
    expect(await count(kept)).toMatchObject({ data: 1 });
  });
});
