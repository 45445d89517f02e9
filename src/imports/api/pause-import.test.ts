import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { insertImport } from '../import-store.ts';
import { importsOperations } from '../operations.ts';

describe('pauseImport', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
  });
  afterAll(() => t.close());

  const make = async (state: string, isDeleted = false) => {
    const at = t.clock.now();
    const parameters = { filename: 'people.csv', columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1 }] };
    const { id } = await insertImport(t.db, { idUser: 1, author: 'Ada', parameters, scheduledAt: at, at });
    await t.db.run(
      sql`update ${t.db.t.import} set state = ${state}, is_deleted = ${isDeleted} where id = ${id}`,
    );
    return id;
  };
  const stateOf = async (id: number) =>
    ((await t.call('GET', `/imports/${id}`)).data as { importState: string }).importState;

  it.each(['Scheduled', 'InProgress'])('200 pauses one that is %s', async (state) => {
    const id = await make(state);
    const { status, data } = await t.call('POST', `/imports/${id}/pause`);
    expect({ status, data, state: await stateOf(id) }).toEqual({ status: 200, data: true, state: 'Paused' });
  });

  it.each(['Paused', 'Completed', 'PackageErrorCreation'])(
    '409 says what one that is %s would have to be',
    async (state) => {
      const id = await make(state);
      const { status, error } = await t.call('POST', `/imports/${id}/pause`);
      expect({ status, error }).toEqual({
        status: 409,
        error: `The import is ${state}: only one that is Scheduled or InProgress can be paused`,
      });
      expect(await stateOf(id)).toBe(state);
    },
  );

  it('409 for a deleted one', async () => {
    const { status, error } = await t.call('POST', `/imports/${await make('Scheduled', true)}/pause`);
    expect({ status, error }).toEqual({
      status: 409,
      error: 'The import is Deleted: only one that is Scheduled or InProgress can be paused',
    });
  });

  it('200 for one of many who pause it at once, 409 for the others', async () => {
    const id = await make('Scheduled');
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => t.call('POST', `/imports/${id}/pause`)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  it('404 for an unknown one, 403 without the right to write', async () => {
    expect((await t.call('POST', '/imports/999999/pause')).error).toBe('Import not found');
    const id = await make('Scheduled');
    expect((await t.call('POST', `/imports/${id}/pause`, { as: 'reader' })).status).toBe(403);
    expect(await stateOf(id)).toBe('Scheduled');
  });
});
