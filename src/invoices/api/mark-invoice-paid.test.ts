import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeInvoice } from '../../testing/make-invoice.ts';

describe('markInvoicePaid', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const mark = (id: number, body: unknown, site = 'demo') =>
    t.call('PUT', `/admin/v1/sites/${site}/invoices/${id}/paid`, { body });
  const isPaid = async () =>
    ((await t.call('GET', '/invoices', { as: 'admin' })).data as { isPaid: boolean }[])[0]!.isPaid;

  it('200 notes it, and takes it back', async () => {
    const id = await makeInvoice(t, 'demo', 1);
    expect(await isPaid()).toBe(false);
    for (const paid of [true, true, false]) {
      expect(await mark(id, paid)).toMatchObject({ status: 200, data: true });
      expect(await isPaid()).toBe(paid);
    }
  });

  it('404 for an unknown one, one of another site, and an unknown site', async () => {
    const id = await makeInvoice(t, 'demo', 2);
    expect(await mark(99_999, true)).toMatchObject({ status: 404, error: 'Invoice not found' });
    expect(await mark(id, true, 'other')).toMatchObject({ status: 404, error: 'Invoice not found' });
    expect(await mark(id, true, 'nowhere')).toMatchObject({ status: 404, error: 'Site not found' });
  });

  it('400 for what is neither true nor false', async () => {
    expect((await mark(await makeInvoice(t, 'demo', 3), 'yes')).status).toBe(400);
  });
});
