import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { subscribersOperations } from '../operations.ts';
import type { Subscriber } from '../subscriber.ts';

const duplicate =
  'An error occurred: Cannot insert a duplicate subscriber because his email already exists in the database.';

/** `{1: 'a@example.com'}` as the API takes it. */
const fields = (values: Record<number, unknown>) =>
  Object.entries(values).map(([id, value]) => ({ idField: Number(id), value }));
const valuesOf = (subscriber: Subscriber) =>
  Object.fromEntries(subscriber.fields.map(({ idField, value }) => [idField, value]));

describe('createSubscribers', () => {
  let t: TestApp;
  let unique = 0;
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
    await addCustomFields(t.db);
  });
  afterAll(() => t.close());

  const post = (body: unknown) => t.call('POST', '/subscribers', { body, as: 'editor' });
  const newEmail = () => `person${++unique}@example.com`;
  const count = async () =>
    (await t.db.one<{ n: number }>(sql`select count(*) as n from ${t.db.t.subscriber}`)).n;
  const create = async (values: Record<number, unknown> = {}) =>
    ((await post([{ fields: fields({ 1: newEmail(), ...values }) }])).data as Subscriber[])[0]!;

  it('200 inserts with status, dates, domain and department, and shows all fields', async () => {
    const reply = await post([{ fields: fields({ 1: ' Anna@BÜCHER.example ', 40: '20290', 101: 'Ève' }) }]);
    expect(reply).toMatchObject({ status: 200, success: true, error: null, typeName: 'Subscriber[]' });
    const [subscriber] = reply.data as Subscriber[];
    expect(subscriber!.id).toBeGreaterThan(0);
    expect(valuesOf(subscriber!)).toEqual({
      0: subscriber!.id,
      1: 'Anna@xn--bcher-kva.example',
      2: '2026-11-20T10:00:00.000Z',
      3: '2026-11-20T10:00:00.000Z',
      4: null,
      5: null,
      6: null,
      7: 0,
      8: null,
      10: null,
      21: null,
      22: null,
      37: 'xn--bcher-kva.example',
      40: '20290',
      41: null,
      42: '2B',
      43: null,
      44: 0,
      45: null,
      101: 'Ève',
      102: null,
      103: null,
      104: null,
      105: null,
    });
  });

  it('200 keeps the values of every type', async () => {
    const values = {
      5: 'fair',
      8: true,
      41: 'fr',
      43: '9007199254740993',
      44: 1,
      101: '<b>"\'\\{},NULL',
      102: -5,
      103: '1958-03-01T00:00:00+01:00',
      104: false,
      105: -3,
    };
    expect(valuesOf(await create(values))).toMatchObject({
      ...values,
      8: 1,
      41: 'FR',
      103: '1958-02-28T23:00:00.000Z',
    });
  });

  it('200 starts everybody subscribed, with the dates of now, whatever fields 3 and 7 say', async () => {
    expect(valuesOf(await create({ 3: '2001-01-01T00:00:00Z', 7: 1 }))).toMatchObject({
      3: '2026-11-20T10:00:00.000Z',
      7: 0,
    });
  });

  it('200 inserts in order, updates what has an id, and answers null for an unknown id', async () => {
    const known = await create({ 101: 'before', 102: 1 });
    const [first, second] = [newEmail(), newEmail()];
    const { data, status } = await post([
      { fields: fields({ 1: first }) },
      { id: null, fields: fields({ 1: second }) },
      { id: known.id, fields: fields({ 101: 'after' }) },
      { id: 999_999, fields: fields({ 101: 'nobody' }) },
      { id: known.id, fields: fields({ 102: 2 }) },
      { id: known.id, fields: [] },
    ]);
    expect(status).toBe(200);
    const results = data as (Subscriber | null)[];
    expect(results.slice(0, 2).map((one) => valuesOf(one!)[1])).toEqual([first, second]);
    expect(results[1]!.id).toBeGreaterThan(results[0]!.id);
    expect(results[3]).toBeNull();
    expect([2, 4, 5].map((i) => valuesOf(results[i]!)).map((v) => [v[101], v[102]])).toEqual([
      ['after', 1],
      ['after', 2],
      ['after', 2],
    ]);
  });

  it('200 refills the domain when an update changes the email', async () => {
    const { id } = await create();
    const { data } = await post([{ id, fields: fields({ 1: `moved${id}@Other.example` }) }]);
    expect(valuesOf((data as Subscriber[])[0]!)).toMatchObject({
      1: `moved${id}@other.example`,
      37: 'other.example',
    });
  });

  it.each([
    [[]],
    [fields({ 1: null })],
    [fields({ 1: '' })],
    [fields({ 1: ' \u00a0' })],
    [fields({ 101: 'a' })],
  ])("400 without an email: %j, in the document's words", async (given) => {
    expect(await post([{ fields: given }])).toMatchObject({
      status: 400,
      success: false,
      data: [],
      error: 'Error, email to insert not found',
      typeName: null,
    });
  });

  it("409 for an email that exists, whatever its case, in the document's words", async () => {
    const email = newEmail();
    await create({ 1: email });
    const before = await count();
    expect(await post([{ fields: fields({ 1: email.toUpperCase() }) }])).toMatchObject({
      status: 409,
      success: false,
      data: [],
      error: duplicate,
    });
    expect(await count()).toBe(before);
  });

  it('409 for an update to an email that exists', async () => {
    const [one, other] = [await create(), await create()];
    const body = [{ id: one.id, fields: fields({ 1: valuesOf(other)[1] }) }];
    expect(await post(body)).toMatchObject({ status: 409, error: duplicate });
  });

  it('409 for a client id that exists', async () => {
    await create({ 43: 77 });
    expect(await post([{ fields: fields({ 1: newEmail(), 43: 77 }) }])).toMatchObject({
      status: 409,
      error: expect.stringContaining('Field 43'),
    });
  });

  it.each([0, 1, 2, 5, 8])('400 at position %d of 9 keeps what is before it, and only that', async (bad) => {
    const emails = Array.from({ length: 9 }, newEmail);
    const before = await count();
    const body = emails.map((email, i) => ({ fields: i === bad ? [] : fields({ 1: email }) }));
    const reply = await post(body);
    expect(reply).toMatchObject({
      status: 400,
      success: false,
      error: `Error, email to insert not found (at position ${bad})`,
    });
    expect((reply.data as Subscriber[]).map((one) => valuesOf(one)[1])).toEqual(emails.slice(0, bad));
    expect(await count()).toBe(before + bad);
  });

  it('409 for the same email twice in one call keeps the first', async () => {
    const email = newEmail();
    const reply = await post(
      [newEmail(), email, newEmail(), email.toUpperCase(), newEmail()].map((one) => ({
        fields: fields({ 1: one }),
      })),
    );
    expect(reply).toMatchObject({ status: 409, error: `${duplicate} (at position 3)` });
    expect(reply.data).toHaveLength(3);
  });

  it('409 stops among updates as among inserts', async () => {
    const [one, other] = [await create({ 101: 'a' }), await create({ 101: 'a' })];
    const reply = await post([
      { id: one.id, fields: fields({ 101: 'b' }) },
      { fields: fields({ 1: valuesOf(other)[1] }) },
      { id: other.id, fields: fields({ 101: 'b' }) },
    ]);
    expect(reply).toMatchObject({ status: 409 });
    expect(reply.data).toHaveLength(1);
    const rows = await t.db.rows(sql`
      select fld101 from ${t.db.t.subscriber} where fld0 in (${one.id}, ${other.id}) order by fld0`);
    expect(rows).toEqual([{ fld101: 'b' }, { fld101: 'a' }]);
  });

  it('200 takes the id 0 for none, as null: an insert', async () => {
    const reply = await post([0, null].map((id) => ({ id, fields: fields({ 1: newEmail() }) })));
    expect((reply.data as Subscriber[]).map(({ id }) => id > 0)).toEqual([true, true]);
    expect(await post([{ id: 0, fields: [] }])).toMatchObject({
      status: 400,
      error: 'Error, email to insert not found',
    });
  });

  it('200 passes an address on from one subscriber to the next, in order', async () => {
    const [one, other] = [await create(), await create()];
    const wanted = valuesOf(one)[1];
    const reply = await post([
      { id: one.id, fields: fields({ 1: newEmail() }) },
      { id: other.id, fields: fields({ 1: wanted }) },
    ]);
    expect(valuesOf((reply.data as Subscriber[])[1]!)[1]).toBe(wanted);
    const back = await post([
      { id: one.id, fields: fields({ 1: wanted }) },
      { id: other.id, fields: fields({ 1: newEmail() }) },
    ]);
    expect(back).toMatchObject({ status: 409, error: `${duplicate} (at position 0)`, data: [] });
  });

  it.each<[string, unknown, string]>([
    [
      'a bad address',
      [{ fields: fields({ 1: 'no address' }) }],
      'Field 1 (Email): is not a valid email address',
    ],
    [
      'a value that does not fit',
      [{ fields: fields({ 1: 'x@example.com', 102: 'many' }) }],
      'Field 102 (Points): must be a whole number',
    ],
    [
      'a key that is not in the list',
      [{ fields: fields({ 1: 'x@example.com', 105: 9 }) }],
      'Field 105 (Ville): must be a key',
    ],
    ['an unknown field', [{ fields: fields({ 1: 'x@example.com', 999: 1 }) }], 'Field 999: is unknown'],
    [
      'field 0',
      [{ fields: fields({ 1: 'x@example.com', 0: 5 }) }],
      'Field 0 (Identifier): is filled by the service',
    ],
    [
      'field 2',
      [{ fields: fields({ 1: 'x@example.com', 2: null }) }],
      'Field 2 (First subscription date): is filled',
    ],
    [
      'field 37',
      [{ fields: fields({ 1: 'x@example.com', 37: 'a.b' }) }],
      'Field 37 (Email domain): is filled',
    ],
    ['field 42', [{ fields: fields({ 1: 'x@example.com', 42: '75' }) }], 'Field 42 (Department): is filled'],
    [
      'a field twice',
      [{ fields: [...fields({ 1: 'x@example.com' }), ...fields({ 1: 'y@example.com' })] }],
      'Field 1 (Email): is given twice',
    ],
    ['no array', { fields: [] }, 'body: must be an array'],
    ['no fields', [{}], '[0].fields: is required'],
    ['no value', [{ fields: [{ idField: 1 }] }], '[0].fields[0].value: is required'],
    ['an unknown member', [{ fields: [], state: 1 }], '[0].state: unknown member'],
    ['an id as text', [{ id: '5', fields: [] }], '[0].id: must be an integer'],
    [
      'too many',
      Array.from({ length: 50_001 }, () => ({ fields: [] })),
      'body: must have at most 50000 items',
    ],
  ])('400 names %s', async (_, body, message) => {
    const { status, error } = await post(body);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
  });

  it('400 for __proto__ and constructor keys, and nobody is changed by them', async () => {
    for (const key of ['__proto__', 'constructor']) {
      const response = await t.server.inject({
        method: 'POST',
        url: '/v1/demo/subscribers',
        headers: { authorization: t.token('editor'), 'content-type': 'application/json' },
        payload: `[{"fields": [{"idField": 1, "value": "${newEmail()}"}], "${key}": {"prototype": {"id": 1}}}]`,
      });
      expect(response.statusCode).toBe(400);
    }
    expect(({} as { id?: number }).id).toBeUndefined();
  });

  it('200 for one and 409 for the others when the same email comes many times at once', async () => {
    const body = [{ fields: fields({ 1: newEmail() }) }];
    const replies = await Promise.all(Array.from({ length: 8 }, () => post(body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(replies.filter(({ status }) => status === 409).every(({ error }) => error === duplicate)).toBe(
      true,
    );
  });

  it('200 or 409, never a deadlock, for the same people at once in opposite orders', async () => {
    for (let round = 0; round < 5; round++) {
      const before = await count();
      const people = Array.from({ length: 200 }, () => ({ fields: fields({ 1: newEmail() }) }));
      const replies = await Promise.all([people, people.toReversed(), people, people.toReversed()].map(post));
      expect(replies.every(({ status }) => status === 200 || status === 409)).toBe(true);
      const made = replies.map(({ data }) => (data as unknown[]).length);
      expect(made.reduce((sum, one) => sum + one, 0)).toBe((await count()) - before);
    }
  });

  it('413 before anything is done when the answer would have more than a million values', async () => {
    const before = await count();
    // 24 fields; the first element has no email, so that what is not too long is refused for that.
    const body = (length: number) => [
      { fields: [] },
      ...Array.from({ length: length - 1 }, () => ({ fields: fields({ 1: newEmail() }) })),
    ];
    expect(await post(body(41_667))).toMatchObject({
      status: 413,
      data: null,
      error:
        'body: must have at most 41666 items: the response has all 24 fields of each, and 1000000 values at most',
    });
    expect(await post(body(41_666))).toMatchObject({ status: 400, data: [] });
    expect(await count()).toBe(before);
  });

  it('200 for 5,001 in one call, in less time than one by one', async () => {
    const body = Array.from({ length: 5001 }, () => ({
      fields: fields({ 1: newEmail(), 101: 'a', 103: '2020-01-01T00:00:00Z' }),
    }));
    const { status, data } = await post(body);
    expect(status).toBe(200);
    expect(data).toHaveLength(5001);
  });

  it('403 for a reader', async () => {
    expect(await t.call('POST', '/subscribers', { body: [], as: 'reader' })).toMatchObject({ status: 403 });
  });

  it('413 for a body of more than 8 MB', async () => {
    expect(await post([{ fields: fields({ 1: newEmail(), 101: 'x'.repeat(8 * 1024 ** 2) }) }])).toMatchObject(
      {
        status: 413,
        data: null,
        error: 'The body is larger than the 8 MB that this operation takes',
      },
    );
  });
});
