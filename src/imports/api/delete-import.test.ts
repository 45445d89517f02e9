import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import type { Import } from '../import.ts';
import type { ImportState } from '../import-state.ts';

describe('deleteImport', () => {
  let t: TestApp;
  let tester: ImportTester;
  beforeAll(async () => {
    ({ t, tester } = await importApp());
  });
  afterAll(() => t.close());
  const remove = (id: number) => t.call('DELETE', `/imports/${id}`);
  const make = async (state: string) => {
    const { id } = await tester.make({});
    await t.db.run(sql`update ${t.db.t.import} set state = ${state} where id = ${id}`);
    return id;
  };

  it.each(['Scheduled', 'Paused', 'Completed', 'PackageErrorCreation'])(
    '200 deletes one that is %s',
    async (state) => {
      const id = await make(state);
      expect(await remove(id)).toMatchObject({ status: 200, data: true });
      expect((await t.call('GET', `/imports/${id}`)).data).toMatchObject({
        importState: state as ImportState,
        isDeleted: true,
        deletionDate: '2026-11-20T10:00:00.000Z',
      } satisfies Partial<Import>);
      const list = await t.call('GET', '/imports', {
        query: { 'filter.sortBy': 'ID', 'filter.order': 'ASC' },
      });
      expect((list.data as { items: { id: number }[] }).items.map((one) => one.id)).not.toContain(id);
    },
  );

  it('200, and what was planned does not run', async () => {
    tester.put('email;name\na@example.com;x\n');
    const id = await make('Scheduled');
    await remove(id);
    expect(await tester.run(id)).toMatchObject({ importState: 'Scheduled', lastImportLog: null });
    expect(await tester.people()).toEqual([]);
  });

  it('409 for one that is running, and for a deleted one', async () => {
    const deletable = 'only one that is Scheduled, Paused, Completed or PackageErrorCreation can be deleted';
    const id = await make('InProgress');
    expect(await remove(id)).toMatchObject({
      status: 409,
      error: `The import is InProgress: ${deletable}`,
    });
    const gone = await make('Completed');
    await remove(gone);
    expect(await remove(gone)).toMatchObject({
      status: 409,
      error: `The import is Deleted: ${deletable}`,
    });
    expect((await t.call('POST', `/imports/${gone}/resume`)).status).toBe(409);
  });

  it('404 for an unknown one, 403 without the right to write', async () => {
    expect((await remove(999_999)).error).toBe('Import not found');
    expect((await t.call('DELETE', `/imports/${await make('Scheduled')}`, { as: 'reader' })).status).toBe(
      403,
    );
  });
});
