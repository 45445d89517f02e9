import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { keepDeliveries, trimMailbox } from '../mailbox-store.ts';

describe('listMailbox', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await keepDeliveries(
      t.app.control,
      ['a@x.test', 'b@x.test', 'a@x.test'].map((rcptTo, i) => ({
        ...{ receivedAt: new Date(Date.UTC(2026, 0, 1 + i)), mailFrom: 'f@x.test', rcptTo, subject: `s${i}` },
        expiresAt: null,
        raw: Buffer.from(`message ${i}`),
      })),
    );
  });
  afterAll(() => t.close());

  it('200 lists the newest first, a page at a time', async () => {
    const reply = await t.call('GET', '/admin/v1/mailbox', {
      query: { 'filter.limit': 2, 'filter.start': 1 },
    });
    expect(reply).toMatchObject({
      status: 200,
      typeName: 'Paged<MailboxMessage>',
      data: {
        totalCount: 3,
        count: 2,
        start: 1,
        items: [{ subject: 's1', size: 9, receivedAt: '2026-01-02T00:00:00.000Z' }, { subject: 's0' }],
      },
    });
  });

  it('200 keeps to one address', async () => {
    const reply = await t.call('GET', '/admin/v1/mailbox', { query: { 'filter.rcptTo': 'a@x.test' } });
    expect(reply.data).toMatchObject({ totalCount: 2, items: [{ subject: 's2' }, { subject: 's0' }] });
  });

  it('403 for a token of a site', async () => {
    expect((await t.call('GET', '/admin/v1/mailbox', { as: 'sender' })).status).toBe(403);
  });

  it('is trimmed by age and by number', async () => {
    const at = t.clock.now();
    const trim = (before: string, most: number) =>
      trimMailbox(t.app.control, { before: new Date(before), at, most });
    expect(await trim('2026-01-02T00:00:00Z', 100)).toBe(1);
    expect(await trim('2020-01-01T00:00:00Z', 1)).toBe(1);
    expect((await t.call('GET', '/admin/v1/mailbox')).data).toMatchObject({
      totalCount: 1,
      items: [{ subject: 's2' }],
    });
  });

  it('200 lists no message whose Expires has passed, and the tidying removes it', async () => {
    const expiresAt = new Date(t.clock.now().getTime() + 60_000);
    const mailFrom = 'f@x.test';
    const rcptTo = 'expiring@x.test';
    await keepDeliveries(t.app.control, [
      { receivedAt: t.clock.now(), mailFrom, rcptTo, subject: 'offer', expiresAt, raw: Buffer.from('x') },
    ]);
    const listed = () => t.call('GET', '/admin/v1/mailbox', { query: { 'filter.rcptTo': rcptTo } });
    expect((await listed()).data).toMatchObject({ totalCount: 1, items: [{ subject: 'offer' }] });
    t.clock.advance(60_000);
    expect((await listed()).data).toMatchObject({ totalCount: 0, items: [] });
    const before = new Date('2020-01-01T00:00:00Z');
    expect(await trimMailbox(t.app.control, { before, at: t.clock.now(), most: 100 })).toBe(1);
  });
});
