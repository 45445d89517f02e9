import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';
import { insertThematic } from '../thematic-store.ts';

describe('getThematic', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  it('200 answers the thematic', async () => {
    const thematic = { idParentThematic: null, name: 'Voyage', description: 'Loin', isEnabled: true };
    const idThematic = await insertThematic(t.db, thematic);
    const reply = await t.call('GET', `/thematics/${idThematic}`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Thematic', data: { idThematic, ...thematic } });
  });

  it('404 for an unknown one', async () => {
    expect(await t.call('GET', '/thematics/99')).toMatchObject({ status: 404, error: 'Thematic not found' });
  });

  it('400 for an invalid id', async () => {
    expect((await t.call('GET', '/thematics/0')).status).toBe(400);
  });
});
