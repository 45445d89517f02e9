import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

describe('duplicateSendingConfiguration', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = async (name: string) => {
    const made = await t.call('POST', '/sending-configurations', {
      body: { name, senderEMail: 'a@b.fr', responseEMail: 'c@d.fr', footerTxt: 'F', isArchive: true },
    });
    return made.data as { id: number };
  };

  it('200 answers a copy of its own', async () => {
    const original = await create('News');
    t.clock.set('2026-11-22T08:00:00Z');
    const reply = await t.call('POST', `/sending-configurations/${original.id}/duplicate`, { as: 'editor' });
    expect(reply).toMatchObject({ status: 200, typeName: 'SendingConfiguration' });
    expect(reply.data).toEqual({
      ...original,
      id: expect.not.closeTo(original.id),
      name: 'Copie de News',
      isArchive: false,
      creationDate: '2026-11-22T08:00:00.000Z',
      lastModifiedDate: '2026-11-22T08:00:00.000Z',
    });
  });

  it('200 cuts a name that would become too long, between characters', async () => {
    const original = await create(`${'n'.repeat(245)}🏠🏠🏠🏠`);
    const reply = await t.call('POST', `/sending-configurations/${original.id}/duplicate`);
    expect((reply.data as { name: string }).name).toBe(`Copie de ${'n'.repeat(245)}🏠`);
  });

  it('404 for an unknown one', async () => {
    expect(await t.call('POST', '/sending-configurations/999/duplicate')).toMatchObject({
      status: 404,
      error: 'Sending configuration not found',
    });
  });

  it('403 for a reader', async () => {
    expect((await t.call('POST', '/sending-configurations/1/duplicate', { as: 'reader' })).status).toBe(403);
  });
});
