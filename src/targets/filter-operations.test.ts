import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import { foreignTarget } from '../testing/foreign-target.ts';
import { filterOperations } from './filter-operations.ts';
import { setFilter } from './filter-store.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import { targetsOperations } from './operations.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: targetsOperations });
  await addCustomFields(t.db);
  await foreignTarget(t);
});
afterAll(() => t.close());

const create = async (): Promise<number> =>
  ((await t.call('POST', '/targets', { body: { name: 'a' } })).data as { id: number }).id;
const set = (body: unknown) => t.call('PUT', '/targets/filters/field', { body });
const get = (id: number) => t.call('GET', `/targets/${id}/filters/field`, { as: 'reader' });

it('the operations are those of the document', () => {
  const paths: Readonly<Record<string, string>> = {
    Field: 'field',
    Behaviour: 'behaviour',
    Thematic: 'thematic',
    Sending: 'sending',
    EmailPressure: 'email-pressure',
    Geolocation: 'geolocation',
    Sql: 'sql',
    File: 'file',
  };
  const shown = filterOperations.map(({ id, method, path, right }) => [id, method, path, right]);
  const expected = Object.entries(paths).flatMap(([name, path]) => [
    [`get${name}Filter`, 'GET', `/targets/{idTarget}/filters/${path}`, 'read'],
    [`set${name}Filter`, 'PUT', `/targets/filters/${path}`, 'write'],
  ]);
  expect(shown).toEqual(expected);
});

it.each(filterKinds.map((kind) => [kind.kind, kind] as const))(
  '404 for the %s filter of a target that is unknown here',
  async (_, { kind, enabledMember, example }) => {
    const path = filterOperations.find(
      ({ id }) => id.toLowerCase() === `set${kind}filter`.toLowerCase(),
    )!.path;
    for (const idTarget of [99_999, 5_000]) {
      const unknown = { status: 404, error: 'Target not found' };
      expect(
        await t.call('PUT', path, { body: { ...example, idTarget, [enabledMember]: true } }),
      ).toMatchObject(unknown);
      const set = path.replace('/targets', `/targets/${idTarget}`);
      expect(await t.call('GET', set)).toMatchObject(unknown);
    }
  },
);

it.each(filterKinds.map((kind) => [kind.kind, kind] as const))(
  'the body that the reference shows takes the %s filter away, and none of it can be left out',
  async (_, { kind, enabledMember, flag, example }) => {
    const of = filterOperations.find(({ id }) => id.toLowerCase() === `set${kind}filter`.toLowerCase())!;
    const idTarget = await create();
    await setFilter(t.db, { idTarget, kind, isEnabled: true, definition: example });
    const target = async () => (await t.call('GET', `/targets/${idTarget}`)).data;
    expect(await target()).toMatchObject({ [flag]: true });
    const shown = JSON.parse(/removes the filter: `(.*)`/.exec(of.description!)![1]!);
    expect(shown.idTarget).toBe(1);
    for (const left of Object.keys(shown)) {
      const body = Object.fromEntries(
        Object.entries({ ...shown, idTarget }).filter(([name]) => name !== left),
      );
      const error = expect.stringContaining(`${left}: is required`);
      expect(await t.call('PUT', of.path, { body })).toMatchObject({ status: 400, error });
    }
    expect(await t.call('PUT', of.path, { body: { ...shown, idTarget } })).toMatchObject({ data: true });
    expect(await target()).toMatchObject({ [flag]: false });
    const path = of.path.replace('/targets', `/targets/${idTarget}`);
    expect((await t.call('GET', path)).data).toMatchObject({ [enabledMember]: false });
  },
);

describe('setFieldFilter', () => {
  it('200 sets, replaces and removes', async () => {
    const id = await create();
    t.clock.advance(1_000);
    const filters = [
      { idField: 7, operator: 'Equal', value: '0' },
      { idField: 101, operator: 'HasValue', value: null },
    ];
    expect(await set({ idTarget: id, isEnabled: true, filters })).toMatchObject({
      status: 200,
      data: true,
      typeName: 'Boolean',
    });
    expect((await get(id)).data).toEqual({ idTarget: id, isEnabled: true, filters });
    expect((await t.call('GET', `/targets/${id}`)).data).toMatchObject({
      hasFieldFilter: true,
      isSafe: true,
      lastUpdateDate: t.clock.now().toISOString(),
    });
    await set({ idTarget: id, isEnabled: false, filters: [filters[1]] });
    expect((await get(id)).data).toEqual({ idTarget: id, isEnabled: false, filters: [filters[1]] });
    await set({ idTarget: id, filters: [] });
    expect((await get(id)).data).toEqual({ idTarget: id, isEnabled: false, filters: null });
    expect((await t.call('GET', `/targets/${id}`)).data).toMatchObject({ hasFieldFilter: false });
  });

  it('200 enables a filter that does not say', async () => {
    const id = await create();
    await set({ idTarget: id, filters: [{ idField: 1, operator: 'HasValue' }] });
    expect((await get(id)).data).toMatchObject({ isEnabled: true });
  });

  it.each([
    [{ filters: [] }, 'idTarget: is required'],
    [{ idTarget: 1, isenabled: true }, 'isenabled: unknown member'],
    [{ idTarget: 1, isEnabled: 'yes' }, 'isEnabled: must be a boolean'],
    [{ idTarget: 1, filters: {} }, 'filters: must be an array'],
    [
      { idTarget: 1, filters: [{ idField: 1, operator: 'Like', value: 'a' }] },
      'filters[0].operator: must be one of',
    ],
    [
      { idTarget: 1, filters: [{ idField: 7, operator: 'Equal', value: 0 }] },
      'filters[0].value: must be a string',
    ],
    [
      { idTarget: 1, filters: [{ idField: 7, operator: 'Equal', values: '0' }] },
      'filters[0].values: unknown member',
    ],
    [{ idTarget: 1, filters: [{ operator: 'HasValue' }] }, 'filters[0].idField: is required'],
    [
      { idTarget: 1, filters: [{ idField: 9, operator: 'HasValue' }] },
      'filters[0].idField: there is no field 9',
    ],
    [
      { idTarget: 1, filters: [{ idField: 7, operator: 'Equal', value: 'x' }] },
      "filters[0].value: 'x' does not fit",
    ],
  ])('400 for %j', async (body, error) => {
    await create();
    expect(await set(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('400 leaves the existing filter unchanged', async () => {
    const id = await create();
    const filters = [{ idField: 1, operator: 'HasValue', value: null }];
    await set({ idTarget: id, filters });
    await set({ idTarget: id, filters: [{ idField: 9, operator: 'HasValue', value: null }] });
    expect((await get(id)).data).toMatchObject({ filters });
  });

  it.each([99_999, 5_000])('404 for the target %i, unknown here', async (idTarget) => {
    expect(await set({ idTarget, filters: [] })).toMatchObject({ status: 404, error: 'Target not found' });
  });
});

describe('getFieldFilter', () => {
  it('200 with a list that is null where there is no filter', async () => {
    const id = await create();
    expect(await get(id)).toMatchObject({
      status: 200,
      typeName: 'FieldFilter',
      data: { idTarget: id, isEnabled: false, filters: null },
    });
  });

  it.each([99_999, 5_000])('404 for the target %i, unknown here', async (id) => {
    expect(await get(id)).toMatchObject({ status: 404, error: 'Target not found' });
  });
});
