import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('getSendingConfiguration', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 shows it as it was created, archived or not', async () => {
    const body = {
      name: 'Shop',
      senderEMail: 'a@example.com',
      responseEMail: 'b@example.com',
      isArchive: true,
    };
    const made = (await t.call('POST', '/sending-configurations', { body })).data as { id: number };
    const reply = await t.call('GET', `/sending-configurations/${made.id}`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, data: made, typeName: 'SendingConfiguration' });
    expect(reply.data).toEqual(made);
  });

  it('404 for an unknown one', async () => {
    expect(await t.call('GET', '/sending-configurations/99999')).toMatchObject({
      status: 404,
      error: 'Sending configuration not found',
    });
  });
});
