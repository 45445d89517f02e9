import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiptStates } from '../../activity/receipt.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { closeMonths } from '../tasks/close-months.ts';

describe('listInvoices', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const steps = [
    { from: 0, perThousand: 1_000 },
    { from: 3, perThousand: 10 },
  ];
  const prices = { currency: 'EUR', paymentDays: 30, steps };
  const setPrices = async (body: object) =>
    expect((await t.call('PUT', '/admin/v1/sites/demo/prices', { body })).error).toBe(null);
  const list = async () => (await t.call('GET', '/invoices', { as: 'admin' })).data as unknown as object[];
  const close = () => closeMonths.run(t.app, {}, new AbortController().signal);
  /** A sending of which relays accepted and refused messages at an instant. */
  async function sent(
    at: string,
    accepted: number[],
    options: { isTest?: boolean; refused?: number[] } = {},
  ) {
    const { idJob, idsSent } = await makeJob(t.db, { isTest: options.isTest ?? false });
    await makeReceipts(t.db, idJob, idsSent[0]!, {
      accepted,
      refused: options.refused ?? [],
      at: new Date(at),
    });
    return idsSent[0]!;
  }

  it('200 an invoice for each past month of Paris time, of the messages that relays accepted in it', async () => {
    t.clock.set('2026-11-20T10:00:00Z');
    await setPrices(prices);
    // Of October in Paris, before the site had prices; of November, its first and its last moment; of December.
    await sent('2026-10-31T22:59:59Z', [1]);
    const idSent = await sent('2026-10-31T23:00:00Z', [1, 2, 3], { refused: [4] });
    await sent('2026-11-30T22:59:59Z', [1, 2]);
    await sent('2026-11-15T12:00:00Z', [1, 2, 3, 4], { isTest: true });
    await sent('2026-11-30T23:00:00Z', [1]);
    await t.db.run(sql`
      insert into ${t.db.t.single_message} (id_sent, id_subscriber, state, created_at, next_at, ended_at)
      values (${idSent}, 1, ${receiptStates.accepted}, '2026-11-10', '2026-11-10', '2026-11-10'),
        (${idSent}, 1, ${receiptStates.refused}, '2026-11-10', '2026-11-10', '2026-11-10')`);
    t.clock.set('2026-12-02T22:59:59Z');
    await close();
    expect(await list()).toEqual([]);
    t.clock.set('2026-12-02T23:00:00Z');
    // Two processes look at the same time.
    await Promise.all([close(), close()]);
    const november = {
      id: expect.any(Number),
      companyId: t.db.site.id,
      companyName: 'demo',
      month: '2026-11',
      name: 'demo 2026-11',
      issueDate: '2026-12-02T23:00:00.000Z',
      dueDate: '2027-01-01T23:00:00.000Z',
      isPaid: false,
      // Three at 1 EUR each, three at a cent.
      nbMessages: 6,
      amount: 3.03,
      currency: 'EUR',
    };
    expect(await list()).toEqual([november]);
    // Neither prices nor messages of later change it.
    await setPrices({ ...prices, currency: 'CHF', steps: [{ from: 0, perThousand: 2_000 }] });
    await sent('2026-11-29T10:00:00Z', [5]);
    await close();
    expect(await list()).toEqual([november]);
  });

  it('200 the months that the service missed while it was down, the newest first', async () => {
    t.clock.set('2027-03-15T10:00:00Z');
    await close();
    expect(await list()).toMatchObject([
      { month: '2027-02', nbMessages: 0, amount: 0, currency: 'CHF' },
      { month: '2027-01', nbMessages: 0 },
      { month: '2026-12', nbMessages: 1, amount: 2 },
      { month: '2026-11', nbMessages: 6, amount: 3.03 },
    ]);
  });

  it('200 and none for a site without prices', async () => {
    expect((await t.call('GET', '/invoices', { as: 'admin', site: 'other' })).data).toEqual([]);
  });

  it('403 for who is no administrator', async () => {
    for (const as of ['reader', 'editor', 'sender'] as const)
      expect(await t.call('GET', '/invoices', { as })).toMatchObject({ status: 403, data: null });
  });

  it('one site that cannot be read does not keep the months of others open', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    t.clock.set('2027-04-15T10:00:00Z');
    await t.call('PUT', '/admin/v1/sites/other/prices', { body: prices });
    await t.otherDb.run(sql`alter table ${t.otherDb.t.receipt_range} rename to away`);
    t.clock.set('2027-05-15T10:00:00Z');
    try {
      await closeMonths.run({ ...t.app, log }, {}, new AbortController().signal);
    } finally {
      await t.otherDb.run(sql`alter table ${t.otherDb.name('away')} rename to receipt_range`);
    }
    expect(lines.join()).toContain('month not closed');
    expect(await list()).toMatchObject([{ month: '2027-04' }, { month: '2027-03' }, {}, {}, {}, {}]);
  });
});
