import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { evaluationFailures, type FailingTargets, failingTargets } from '../../testing/failing-targets.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('getTargetSubscribers', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await addCustomFields(t.db);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1, fld7, fld101, fld102, fld103) values
        (1, 'a@b.fr', 0, 'Zoé', 9, '2026-11-20T10:00:00Z'), (2, 'b@b.fr', 0, 'élodie', 10, null),
        (3, 'c@b.fr', 1, 'Eve', 1, null), (4, 'd@b.fr', 0, null, null, null), (5, 'e@b.fr', 0, 'ELSA', 100, null)`);
    const created = await t.call('POST', '/targets', { body: { name: 'a' } });
    id = (created.data as { id: number }).id;
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
  });
  afterAll(() => t.close());

  const page = (query: Record<string, string | number>, target = id) =>
    t.call('GET', `/targets/${target}/subscribers`, {
      as: 'reader',
      query: { property: 'fld0', direction: 'ASC', start: 0, page: 1, limit: 10, ...query },
    });
  const idsOf = async (query: Record<string, string | number>) =>
    ((await page(query)).data as { id: number }[]).map((one) => one.id);

  it('200 gives subscribers with all their fields', async () => {
    const reply = await page({ limit: 1 });
    expect(reply).toMatchObject({ status: 200, typeName: 'Subscriber[]', data: [{ id: 1 }] });
    const [{ fields }] = reply.data as [{ fields: { idField: number; value: unknown }[] }];
    const values = Object.fromEntries(fields.map((field) => [field.idField, field.value]));
    expect(values).toMatchObject({
      0: 1,
      1: 'a@b.fr',
      7: 0,
      101: 'Zoé',
      102: 9,
      103: '2026-11-20T10:00:00.000Z',
      104: null,
    });
  });

  it.each([
    [{ property: '0', direction: 'desc' }, [5, 4, 2, 1]],
    [{ property: 'fld101' }, [2, 5, 1, 4]],
    [{ property: 'FLD101', direction: 'DESC' }, [1, 5, 2, 4]],
    [{ property: '102' }, [1, 2, 5, 4]],
    [{ property: '102', direction: 'Desc' }, [5, 2, 1, 4]],
    [{ start: 1, limit: 2 }, [2, 4]],
    [{ start: 1, limit: 2, page: 7 }, [2, 4]],
    [{ start: 9 }, []],
  ])('200 for %j', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  it.each([
    [{ property: 'fld999' }, 'property: must be a field of the site'],
    [{ property: 'fld0; drop table' }, 'property: '],
    [{ property: 'fld1 desc, 1' }, 'property: must be a field of the site'],
    [{ direction: 'up' }, 'direction: must be one of ASC, DESC'],
    [{ start: -1 }, 'start: must be at least 0'],
    [{ limit: 0 }, 'limit: must be at least 1'],
    [{ limit: 1001 }, 'limit: must be at most 1000'],
    [{ sort: 'x' }, 'sort: unknown member'],
  ])('400 for %j', async (query, error) => {
    expect(await page(query as Record<string, string>)).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it('400 without what is required', async () => {
    expect(await t.call('GET', `/targets/${id}/subscribers`)).toMatchObject({
      status: 400,
      error: expect.stringContaining('is required'),
    });
  });

  it.each(evaluationFailures)('%i where the target cannot be evaluated', async (status, words) => {
    await makeSubscribers(t.db, [status]);
    const failing: FailingTargets = await failingTargets(t);
    expect(await page({}, failing[status])).toMatchObject({
      status,
      data: null,
      error: expect.stringContaining(words),
    });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const target of [99_999, await foreignTarget(t)]) {
      expect(await page({}, target)).toMatchObject({ status: 404, error: 'Target not found' });
    }
  });
});
