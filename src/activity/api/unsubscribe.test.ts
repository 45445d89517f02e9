import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { makeJob } from '../../testing/make-sent.ts';
import { activityOperations } from '../operations.ts';

describe('unsubscribe', () => {
  let t: TestApp;
  let idSent: number;
  const now = new Date('2026-11-20T10:00:00Z');
  beforeAll(async () => {
    t = await testApp({ operations: activityOperations });
    await addCustomFields(t.db);
    idSent = (await makeJob(t.db)).idsSent[0]!;
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber}, ${t.db.t.unsubscription} restart identity`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7)
      select 'p' || n || '@example.com', case n when 3 then 1 else 0 end from generate_series(1, 3) n`);
  });

  const post = (body: unknown) => t.call('POST', '/subscribers/unsubscribe', { body, as: 'editor' });
  const row = (id: number) =>
    t.db.one(sql`
      select fld4, fld7, fld8, fld10, fld102, fld103, fld104, fld105 from ${t.db.t.subscriber} where fld0 = ${id}`);
  const untouched = {
    fld4: null,
    fld7: 0,
    fld8: null,
    fld10: null,
    fld102: null,
    fld103: null,
    fld104: null,
    fld105: null,
  };

  it('200 from the newsletter sets field 7 and field 4', async () => {
    const reply = await post([
      { idSubscriber: 1, from: 'Newsletter' },
      { idSubscriber: 99 },
      { idSubscriber: 3 },
    ]);
    expect(reply).toMatchObject({ status: 200, data: [true, false, true], typeName: 'Boolean[]' });
    expect(await row(1)).toEqual({ ...untouched, fld7: 1, fld4: now });
    expect(await row(2)).toEqual(untouched);
  });

  it("200 from partners' offers sets fields 8 and 10, as the document has it", async () => {
    expect((await post([{ idSubscriber: 1, from: 'PartnerOffers' }])).data).toEqual([true]);
    expect(await row(1)).toEqual({ ...untouched, fld8: 1, fld10: now });
  });

  it('200 takes null and 0 for no field of a newsletter of its own', async () => {
    const none = { idSubscriptionField: 0, idUnsubDateField: null };
    const { data } = await post([{ idSubscriber: 1, from: 'Newsletter', ...none }]);
    expect(data).toEqual([true]);
    expect(await row(1)).toEqual({ ...untouched, fld7: 1, fld4: now });
  });

  it('200 from a newsletter of its own sets the two fields named', async () => {
    const of = (idSubscriber: number, idSubscriptionField: number) => ({
      idSubscriber,
      from: 'SpecificNewsletter',
      idSubscriptionField,
      idUnsubDateField: 103,
    });
    expect((await post([of(1, 102), of(2, 104), of(3, 105)])).data).toEqual([true, true, true]);
    expect(await row(1)).toEqual({ ...untouched, fld102: 1, fld103: now });
    expect(await row(2)).toEqual({ ...untouched, fld104: true, fld103: now });
    expect(await row(3)).toEqual({ ...untouched, fld7: 1, fld105: 1, fld103: now });
  });

  it('200 with false for who is not subscribed, when only subscribers are requested', async () => {
    const { data } = await post([
      { idSubscriber: 1, unsubOnlySubscribers: true },
      { idSubscriber: 3, unsubOnlySubscribers: true },
      { idSubscriber: 1, unsubOnlySubscribers: true },
    ]);
    expect(data).toEqual([true, false, false]);
    expect(await row(3)).toMatchObject({ fld4: null });
  });

  it('200 with idSent counts once per subscriber and sending, and only who was unsubscribed', async () => {
    await post([
      { idSubscriber: 1, idSent },
      { idSubscriber: 1, idSent },
      { idSubscriber: 3, idSent, unsubOnlySubscribers: true },
      { idSubscriber: 99, idSent },
    ]);
    await post([{ idSubscriber: 1, idSent }, { idSubscriber: 2 }]);
    expect(
      await t.db.rows(sql`select id_sent, id_subscriber, at, origin from ${t.db.t.unsubscription}`),
    ).toEqual([{ id_sent: idSent, id_subscriber: 1, at: now, origin: 'api' }]);
  });

  it('200 with idSent 0 counts for no sending', async () => {
    const elements = [0, null].map((none, i) => ({ idSubscriber: i + 1, idSent: none }));
    expect(await post(elements)).toMatchObject({ status: 200, data: [true, true] });
    expect(await row(1)).toEqual({ ...untouched, fld7: 1, fld4: now });
    expect(await t.db.rows(sql`select from ${t.db.t.unsubscription}`)).toEqual([]);
  });

  it('404 for a nonexistent sending, and no one is unsubscribed', async () => {
    expect(await post([{ idSubscriber: 1 }, { idSubscriber: 2, idSent: 9999 }])).toMatchObject({
      status: 404,
      error: '[1].idSent: Sent not found',
    });
    expect(await row(1)).toEqual(untouched);
  });

  it.each([
    [{ from: 'SpecificNewsletter' }, '[1].idSubscriptionField: is required with SpecificNewsletter'],
    [{ from: 'SpecificNewsletter', idSubscriptionField: 104 }, '[1].idUnsubDateField: is required'],
    [
      { from: 'SpecificNewsletter', idSubscriptionField: 0, idUnsubDateField: 103 },
      '[1].idSubscriptionField: 0 is not a custom field',
    ],
    [
      { from: 'SpecificNewsletter', idSubscriptionField: 44, idUnsubDateField: 103 },
      '[1].idSubscriptionField: 44 is not a custom field',
    ],
    [
      { from: 'SpecificNewsletter', idSubscriptionField: 999, idUnsubDateField: 103 },
      '999 is not a custom field',
    ],
    [
      { from: 'SpecificNewsletter', idSubscriptionField: 103, idUnsubDateField: 103 },
      '[1].idSubscriptionField: Field 103 (Naissance) must be a Boolean',
    ],
    [
      { from: 'SpecificNewsletter', idSubscriptionField: 104, idUnsubDateField: 102 },
      '[1].idUnsubDateField: Field 102 (Points) must be a Date',
    ],
    [{ idSubscriptionField: 104 }, '[1].idSubscriptionField: allowed only if from is SpecificNewsletter'],
    [{ from: 'PartnerOffers', idUnsubDateField: 103 }, '[1].idUnsubDateField: allowed only if from'],
    [{ from: 'All' }, '[1].from: must be one of Newsletter, PartnerOffers, SpecificNewsletter'],
    [{ fromm: 'All' }, '[1].fromm: unknown member'],
    [{ idSubscriber: null }, '[1].idSubscriber: must be an integer'],
  ])('400 %j, and nobody is unsubscribed', async (element, message) => {
    const { status, error } = await post([{ idSubscriber: 1 }, { idSubscriber: 2, ...element }]);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
    expect(await row(1)).toEqual(untouched);
  });

  it('400 for 5,001', async () => {
    expect((await post(Array.from({ length: 5001 }, () => ({ idSubscriber: 1 })))).status).toBe(400);
  });
});
