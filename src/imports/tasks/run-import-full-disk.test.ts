import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ImportTester } from '../../testing/import-tester.ts';
import { describeOnSmallDisk, mountSmallDisk, type SmallDisk } from '../../testing/small-disk.ts';
import { deliverErrorFile } from '../error-delivery.ts';
import { findLog } from '../import-log-store.ts';
import { findImport } from '../import-store.ts';
import { runImport } from './run-import.ts';

const file = 'email;name\na@example.com;Ada\nnobody;Ben\n';

describeOnSmallDisk('an import on a service whose disk is full', () => {
  let disk: SmallDisk;
  let t: TestApp;
  let tester: ImportTester;
  beforeAll(async () => {
    disk = mountSmallDisk(1024 ** 2, '/tmp');
    t = await testApp({ config: { dataDir: disk.folder } });
    await addCustomFields(t.db);
    tester = new ImportTester({ ...t, dataDir: disk.folder });
  });
  afterAll(async () => {
    await t.close();
    disk.close();
  });
  beforeEach(() => tester.put(file));
  afterEach(async () => {
    disk.free();
    await tester.clear();
  });

  const { signal } = new AbortController();
  const run = async (idImport: number) => {
    await runImport.run(t.app, { idSite: t.db.site.id, idImport, run: 1 }, signal);
    return (await findImport(t.db, idImport))!;
  };

  it('changes nobody while its refused rows find no room, and is done at the next attempt', async () => {
    const { id } = await tester.make({});
    disk.fill();
    expect((await run(id)).lastImportLog).toBe(null);
    expect(await t.db.one(sql`select state, trouble from ${t.db.t.import} where id = ${id}`)).toEqual({
      state: 'InProgress',
      trouble: 'No space is left on a disk of the service',
    });
    expect(await tester.jobsOf(id)).toEqual({ 1: '2026-11-20T10:00:10.000Z' });
    expect(await tester.people()).toEqual([]);
    disk.free();
    expect(await run(id)).toMatchObject({
      importState: 'Completed',
      lastImportLog: { nbInserts: 1, nbErrorRows: 1 },
    });
    expect(await tester.people()).toMatchObject([{ email: 'a@example.com', name: 'Ada' }]);
  });

  it('is Completed though the list of its refused rows finds no room beside the file; it comes later', async () => {
    const { id } = await tester.make({});
    expect(await run(id)).toMatchObject({ importState: 'Completed' });
    const { log } = (await findLog(t.db, id))!;
    const deliver = () => deliverErrorFile(t.app, t.db, id, log.id, signal);
    disk.fill();
    expect(await deliver()).toEqual(new Date('2026-11-20T10:00:10Z'));
    expect((await findImport(t.db, id))?.lastImportLog?.errorMessage).toBe(
      'The file of rejected rows is not written yet',
    );
    expect(() => tester.errorFile()).toThrow('ENOENT');
    disk.free();
    expect(await deliver()).toBeUndefined();
    expect((await findImport(t.db, id))?.lastImportLog?.errorMessage).toBe(null);
    expect(tester.errorFile()).toContain('nobody;Ben;3;');
  });
});
