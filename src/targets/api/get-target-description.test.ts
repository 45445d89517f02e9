import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFields } from '../../fields/field-store.ts';
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
        '<ul><li>Filtre sur les champs<ul><li><b>Statut</b> est égal à <b>inscrit</b></li></ul></li></ul>' +
        `<p>Sauf les abonnés des cibles <b>&lt;script&gt;</b> (${other}).</p>` +
        '<p>Sélection : 5 d’entre eux au plus, dans l’ordre de leur identifiant.</p>',
    });
  });

  it('200 with French names of all fields of the system', async () => {
    const id = await create({ name: 'Actifs' });
    const system = (await listFields(t.db)).filter((field) => field.isSystem);
    const filters = system.map((field) => ({ idField: field.id, operator: 'HasValue' }));
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    const described = (await t.call('GET', `/targets/${id}/description`)).data as string;
    expect(described.match(/<b>[^<]*<\/b> est renseigné/g)).toHaveLength(system.length);
    for (const { name } of system) expect(described).not.toContain(`<b>${name}</b>`);
  });

  it('200 in English, with the same filters', async () => {
    const other = await create({ name: '<script>' });
    const id = await create({ name: 'A & B', excludedTargets: [other], pctSelect: 20, isRandomMode: true });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    const reply = await t.call('GET', `/targets/${id}/description`, { query: { language: 'en' } });
    expect(reply).toMatchObject({
      status: 200,
      typeName: 'String',
      data:
        '<p>Target <b>A &amp; B</b></p><p>The subscribers who fulfil all these conditions:</p>' +
        '<ul><li>Fields<ul><li><b>Status</b> is <b>subscribed</b></li></ul></li></ul>' +
        `<p>Except the subscribers of the targets <b>&lt;script&gt;</b> (${other}).</p>` +
        '<p>Selection: 20% of them, chosen at random.</p>',
    });
    const inFrench = await t.call('GET', `/targets/${id}/description`, { query: { language: 'fr' } });
    expect(inFrench.data).toBe((await t.call('GET', `/targets/${id}/description`)).data);
  });

  it('400 for a language that descriptions do not have', async () => {
    const id = await create();
    const reply = await t.call('GET', `/targets/${id}/description`, { query: { language: 'de' } });
    expect(reply).toMatchObject({ status: 400, error: expect.stringContaining('language') });
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
