import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestSite, testSite } from '../testing/site.ts';
import { receiptStates } from './receipt.ts';
import { receiptOf, recordReceipts } from './receipt-store.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

describe('receipts', () => {
  it('keep the first final state of a recipient', async () => {
    const { accepted, refused, expired } = receiptStates;
    const at = new Date('2026-11-20T10:00:00Z');
    const later = new Date('2026-11-20T11:00:00Z');
    const first = { idSent: 1, idSubscribers: [1, 2], states: [accepted, refused], codes: [250, 550] };
    expect(await recordReceipts(site.db, { ...first, idProviders: [0, 3], at })).toBe(2);
    const again = { idSent: 1, idSubscribers: [2, 3], states: [accepted, expired], codes: [250, 451] };
    expect(await recordReceipts(site.db, { ...again, idProviders: [3, 0], at: later })).toBe(1);
    expect(await receiptOf(site.db, 1, 1)).toEqual({ state: accepted, code: 250, at });
    expect(await receiptOf(site.db, 1, 2)).toEqual({ state: refused, code: 550, at });
    expect(await receiptOf(site.db, 1, 3)).toEqual({ state: expired, code: 451, at: later });
    expect(await receiptOf(site.db, 1, 4)).toBeUndefined();
  });
});
