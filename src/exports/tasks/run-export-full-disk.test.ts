import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { describeOnSmallDisk, mountSmallDisk, type SmallDisk } from '../../testing/small-disk.ts';
import { exportsOperations as operations } from '../operations.ts';

const rows = 5_000;

describeOnSmallDisk('an export onto a disk that is full', () => {
  let disk: SmallDisk;
  let t: TestApp;
  let tester: ExportTester;
  beforeAll(async () => {
    disk = mountSmallDisk(1024 ** 2, '/tmp');
    t = await testApp({ operations, config: { dataDir: disk.folder } });
    tester = new ExportTester({ ...t, dataDir: disk.folder });
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1)
      select i || '@example.com' from generate_series(1, ${rows}::int) i`);
  });
  afterAll(async () => {
    await t.close();
    disk.close();
  });

  it('leaves nothing there, says why, and is complete at the next attempt when there is room', async () => {
    const id = await tester.create();
    disk.fill();
    const failed = await tester.run(id);
    expect(failed).toMatchObject({ message: expect.stringMatching(/ENOSPC/), failingSince: t.clock.now() });
    expect(failed.message).not.toContain(disk.folder);
    expect(['COMPLETED', 'FAILED']).not.toContain(failed.state);
    expect(tester.files()).toEqual([]);
    const [again] = await tester.jobs('runExport').then((jobs) => jobs.slice(-1));
    expect(again?.runAt).toEqual(new Date('2026-11-20T10:00:10Z'));
    disk.free();
    expect(await tester.run(id)).toMatchObject({ state: 'COMPLETED', message: '', nbLines: rows });
    expect(tester.files()).toEqual(['people.csv']);
    const lines = readFileSync(join(tester.folder, 'people.csv'), 'utf8').split('\r\n');
    expect(lines).toHaveLength(rows + 2);
  });

  it('of which another part is taken while it writes fails and leaves nothing as well', async () => {
    await tester.clear();
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld5)
      select i || '@example.com', repeat('a', 255) from generate_series(1, ${rows}::int) i`);
    // More than a megabyte: the disk is full in the middle of the file.
    const failed = await tester.run(await tester.create({ idsFields: ['1', '5'] }));
    expect(failed.message).toMatch(/ENOSPC/);
    expect(tester.files()).toEqual([]);
  });
});
