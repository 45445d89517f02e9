import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestSite, testSite } from '../testing/site.ts';
import { until } from '../testing/until.ts';
import { lockBounces } from './bounce-store.ts';
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
    const sooner = new Date('2026-11-20T09:59:58.123Z');
    const later = new Date('2026-11-20T11:00:00Z');
    const first = { idSent: 1, idSubscribers: [1, 2], states: [accepted, refused], codes: [250, 550] };
    expect(await recordReceipts(site.db, { ...first, idProviders: [0, 3], times: [at, sooner] })).toBe(2);
    const again = { idSent: 1, idSubscribers: [2, 3], states: [accepted, expired], codes: [250, 451] };
    expect(await recordReceipts(site.db, { ...again, idProviders: [3, 0], times: [later, later] })).toBe(1);
    expect(await receiptOf(site.db, 1, 1)).toEqual({ state: accepted, code: 250, at });
    expect(await receiptOf(site.db, 1, 2)).toEqual({ state: refused, code: 550, at: sooner });
    expect(await receiptOf(site.db, 1, 3)).toEqual({ state: expired, code: 451, at: later });
    expect(await receiptOf(site.db, 1, 4)).toBeUndefined();
  });

  it('keep the time of each recipient of a range that was open for months', async () => {
    const days = [0, 19, 25, 70, 300];
    const times = days.map((day) => new Date(Date.UTC(2026, 0, 1 + day, 10)));
    const [idSubscribers, codes] = [days.map((_, i) => 5 - i), days.map(() => 250)];
    const states = days.map(() => receiptStates.accepted);
    const receipts = { idSent: 2, idSubscribers, states, codes, idProviders: days.map(() => 0), times };
    expect(await recordReceipts(site.db, receipts)).toBe(5);
    expect(await recordReceipts(site.db, receipts)).toBe(0);
    for (const [i, at] of times.entries()) {
      expect(await receiptOf(site.db, 2, 5 - i)).toEqual({ state: receiptStates.accepted, code: 250, at });
    }
  });

  it.each([
    ['records receipts', 3, false],
    ['records a bounce', 4, true],
  ])(
    'do not wait forever for a process that is stalled while it %s',
    async (_what, idSent, isShared) => {
      const receiptsOf = (idSubscriber: number) => ({
        idSent,
        idSubscribers: [idSubscriber],
        states: [receiptStates.accepted],
        codes: [250],
        idProviders: [0],
        times: [new Date('2026-11-20T10:00:00Z')],
      });
      let thaw = () => {};
      const thawed = new Promise<void>((resolve) => {
        thaw = resolve;
      });
      let isLocked = false;
      const frozen = site.db.transaction(async (tx) => {
        await lockBounces(tx, idSent, isShared);
        isLocked = true;
        await thawed;
        await recordReceipts(tx, receiptsOf(1));
      });
      await until(() => isLocked, 'the lock is held');
      expect(await recordReceipts(site.db, receiptsOf(2))).toBe(1);
      thaw();
      await expect(frozen).rejects.toThrow();
      expect(await receiptOf(site.db, idSent, 1)).toBeUndefined();
    },
    60_000,
  );
});
