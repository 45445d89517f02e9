import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('getTargetDescription', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  it('200 describes the target in French, with what users wrote escaped', async () => {
    const other = await create({ name: '<script>' });
    const id = await create({ name: 'A & B', excludedTargets: [other], maxSelect: 5 });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    expect(await t.call('GET', `/targets/${id}/description`)).toMatchObject({
      status: 200,
      typeName: 'String',
      data:
        '<p>Cible <b>A &amp; B</b></p><p>Les abonnés qui remplissent toutes ces conditions :</p>' +
        '<ul><li>Filtre sur les champs<ul><li><b>Status</b> est égal à <b>0</b></li></ul></li></ul>' +
        `<p>Sauf les abonnés des cibles <b>&lt;script&gt;</b> (${other}).</p>` +
        '<p>Sélection : 5 d’entre eux au plus, dans l’ordre de leur identifiant.</p>',
    });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('GET', `/targets/${id}/description`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
