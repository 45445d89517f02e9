import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { Superseded } from '../platform/retried-run.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { noCounters } from './import.ts';
import {
  type Attempt,
  beginAttempt,
  endRun,
  findImport,
  insertImport,
  setProgression,
} from './import-store.ts';

describe('attempts of a run', () => {
  let site: TestSite;
  beforeAll(async () => {
    site = await testSite();
  });
  afterAll(() => site.close());

  const at = new Date('2026-11-20T10:00:00Z');
  const make = async () => {
    const parameters = { filename: 'people.csv', columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1 }] };
    return (await insertImport(site.db, { idUser: 1, author: 'Ada', parameters, scheduledAt: at, at })).id;
  };
  const begin = async (id: number) => (await beginAttempt(site.db, id, 1, at))!.attempt;
  const end = (attempt: Attempt) => {
    const texts = { filename: 'people.csv', errorMessage: null, badFormattedRowNumbers: '' };
    const log = { ...noCounters(), ...texts, startDate: at.toISOString(), endDate: at.toISOString() };
    return site.db.transaction((tx) => endRun(tx, attempt, { state: 'Completed', log, fileRead: null }, at));
  };

  it('of two only the later one counts', async () => {
    const id = await make();
    const [first, second] = [await begin(id), await begin(id)];
    expect(await setProgression(site.db, first, 10)).toBe(false);
    expect(await setProgression(site.db, second, 20)).toBe(true);
    await expect(end(first)).rejects.toBeInstanceOf(Superseded);
    await end(second);
    await expect(end(second)).rejects.toBeInstanceOf(Superseded);
    expect((await findImport(site.db, id))!.importState).toBe('Completed');
    expect(await beginAttempt(site.db, id, 1, at)).toBeUndefined();
  });

  it('that end at the same moment leave one log', async () => {
    const id = await make();
    const attempt = await begin(id);
    const ended = await Promise.allSettled(Array.from({ length: 5 }, () => end(attempt)));
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await site.db.rows(sql`select from ${site.db.t.import_log} where id_import = ${id}`)).toHaveLength(
      1,
    );
  });

  it('do not begin for another run than the planned one', async () => {
    expect(await beginAttempt(site.db, await make(), 2, at)).toBeUndefined();
    expect(await beginAttempt(site.db, 999_999, 1, at)).toBeUndefined();
  });
});
