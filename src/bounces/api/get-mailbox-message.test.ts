import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { keepDeliveries } from '../mailbox-store.ts';

describe('getMailboxMessage', () => {
  let t: TestApp;
  const raw = Buffer.from([...Buffer.from('Subject: x\r\n\r\n'), 0xe9, 0xff]);
  beforeAll(async () => {
    t = await testApp();
    const receivedAt = new Date('2026-01-01T00:00:00Z');
    await keepDeliveries(t.app.control, [
      { receivedAt, mailFrom: '', rcptTo: 'a@x.test', subject: 'x', expiresAt: null, raw },
      { receivedAt, mailFrom: '', rcptTo: 'a@x.test', subject: 'y', expiresAt: t.clock.now(), raw },
    ]);
  });
  afterAll(() => t.close());

  it('200 gives the message byte for byte', async () => {
    const reply = await t.call('GET', '/admin/v1/mailbox/1');
    expect(Buffer.from((reply.data as { raw: string }).raw, 'latin1')).toEqual(raw);
  });

  it('404 for a message whose Expires has passed', async () => {
    expect((await t.call('GET', '/admin/v1/mailbox/2')).status).toBe(404);
  });

  it('404 for an unknown message', async () => {
    expect(await t.call('GET', '/admin/v1/mailbox/99')).toMatchObject({
      status: 404,
      error: 'Message not found',
    });
  });
});
