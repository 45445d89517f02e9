import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';

interface Change {
  readonly at: string;
  readonly cause: string;
  readonly idImport: number | null;
  readonly name: string | null;
  readonly values: readonly { readonly idField: number; readonly before: unknown; readonly after: unknown }[];
}
interface Page {
  readonly changes: readonly Change[];
  readonly next: string | null;
}

describe('listSubscriberChanges', () => {
  let t: TestApp;
  let tester: ImportTester;
  let session: string;
  let user: string;
  beforeAll(async () => {
    ({ t, tester } = await importApp());
    const person = await makePerson(t, { sites: [{ name: 'demo', role: 'sender' }] });
    session = await makeSession(t, person);
    user = person.name;
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    const { subscriber, archived_subscriber, subscriber_change } = t.db.t;
    await t.db.run(
      sql`truncate ${subscriber}, ${archived_subscriber}, ${subscriber_change} restart identity`,
    );
    await tester.add('ada@example.com', 'Ada');
    await tester.add('bob@example.com', 'Bob');
  });

  const ask = (id: number, query: Record<string, string | number> = {}, site = 'demo') =>
    t.call('GET', `/subscribers/${id}/changes`, { query, site, as: 'reader' });
  const list = async (id: number, query = {}) => {
    const { status, data } = await ask(id, query);
    expect(status).toBe(200);
    return data as Page;
  };
  const modify = async (id: number, values: Record<number, unknown>, method = 'PUT') => {
    const fields = Object.entries(values).map(([idField, value]) => ({ idField: Number(idField), value }));
    const reply = await t.call(method, '/subscribers', { body: [{ id, fields }], session });
    expect(reply.error).toBeNull();
  };
  const values = async (id: number) =>
    (await list(id)).changes.map((change) =>
      change.values.map((one) => [one.idField, one.before, one.after]),
    );
  const count = () => t.db.value<number>(sql`select count(*)::int as n from ${t.db.t.subscriber_change}`);

  it('200 lists values before and after in the form of each field, and the user', async () => {
    expect(await list(1)).toEqual({ changes: [], next: null });
    const given = {
      ...{ 8: 1, 40: '75011', 101: 'Ada L.', 102: '9223372036854775807' },
      ...{ 103: '1815-12-10T00:00:00.000Z', 104: true, 105: -3 },
    };
    await modify(1, given);
    const { changes } = await list(1);
    expect(changes).toMatchObject([
      { at: t.clock.now().toISOString(), cause: 'User', idImport: null, name: user },
    ]);
    expect(await values(1)).toEqual([
      Object.entries(given).map(([id, after]) => [Number(id), id === '101' ? 'Ada' : null, after]),
    ]);
    expect((await list(2)).changes).toEqual([]);
    await modify(1, { 103: null, 104: false });
    expect((await values(1))[0]).toEqual([
      [103, '1815-12-10T00:00:00.000Z', null],
      [104, true, false],
    ]);
  });

  it('200 lists nothing that a program with a token changes', async () => {
    const body = [{ id: 2, fields: [{ idField: 101, value: 'Robert' }] }];
    for (const method of ['PUT', 'POST'])
      expect((await t.call(method, '/subscribers', { body })).status).toBe(200);
    for (const path of ['unsubscribe', 'resubscribe'])
      await t.call('POST', `/subscribers/${path}`, { body: [{ idSubscriber: 2, lastOrigin: 'Shop' }] });
    expect(await count()).toBe(0);
  });

  it('200 lists nothing for values that stay, and for new subscribers; createSubscribers with an id too', async () => {
    await modify(1, { 101: 'Ada', 40: null });
    await t.call('POST', '/subscribers', {
      body: [{ fields: [{ idField: 1, value: 'eve@example.com' }] }],
      session,
    });
    expect(await count()).toBe(0);
    await modify(1, { 101: 'Ada L.', 40: null }, 'POST');
    expect(await values(1)).toEqual([[[101, 'Ada', 'Ada L.']]]);
  });

  it('200 lists both changes of somebody who is twice in a call, and another address with its state', async () => {
    const change = (value: string) => ({ id: 1, fields: [{ idField: 1, value }] });
    await t.db.run(sql`update ${t.db.t.subscriber} set fld44 = 2`);
    const body = [change('b@example.com'), change('c@example.com')];
    await t.call('PUT', '/subscribers', { body, session });
    const at = t.clock.now().toISOString();
    expect(await values(1)).toEqual([
      [[1, 'b@example.com', 'c@example.com']],
      [
        [1, 'ada@example.com', 'b@example.com'],
        [44, 2, 0],
        [45, null, at],
      ],
    ]);
  });

  it('200 lists subscriptions and unsubscriptions by a user', async () => {
    const at = t.clock.now().toISOString();
    const call = async (path: string, body: object) =>
      expect(await t.call('POST', `/subscribers/${path}`, { body: [body], session })).toMatchObject({
        data: [true],
      });
    await call('unsubscribe', { idSubscriber: 1 });
    await call('resubscribe', { idSubscriber: 1, lastOrigin: 'Shop' });
    await call('unsubscribe', {
      ...{ idSubscriber: 1, from: 'SpecificNewsletter' },
      ...{ idSubscriptionField: 104, idUnsubDateField: 103 },
    });
    expect((await values(1)).map((change) => change.filter(([id]) => id !== 3))).toEqual([
      [
        [103, null, at],
        [104, null, true],
      ],
      [
        [6, null, 'Shop'],
        [7, 1, 0],
      ],
      [
        [4, null, at],
        [7, 0, 1],
      ],
    ]);
  });

  it('200 lists what an import changes, and only that', async () => {
    await tester.import(
      'email;name;cp\nada@example.com;Ada;75011\nbob@example.com;Bob;\nnew@example.com;N;1\n',
      {
        columnMapping: [column(1, 'email'), column(101, 'name'), column(40, 'cp')],
      },
    );
    expect(await count()).toBe(1);
    const idImport = await t.db.value(sql`select max(id) as id from ${t.db.t.import}`);
    expect((await list(1)).changes).toMatchObject([
      {
        cause: 'Import',
        idImport,
        name: 'people.csv',
        values: [{ idField: 40, before: null, after: '75011' }],
      },
    ]);
    // By another key: the address changes, and with it the state of its delivery.
    await t.db.run(sql`update ${t.db.t.subscriber} set fld43 = fld0, fld44 = 2, fld7 = 1`);
    await tester.import('id;email\n2;bob2@example.com\n', {
      ...{ keyDbFieldName: 'fld43', keepFld7: false },
      columnMapping: [column(43, 'id'), column(1, 'email')],
    });
    const ofBob = (await values(2))[0]!.filter(([id]) => ![3, 45].includes(id as number));
    expect(ofBob).toEqual([
      [1, 'bob@example.com', 'bob2@example.com'],
      [7, 1, 0],
      [44, 2, 0],
    ]);
  });

  it('200 cuts long texts, and shows no value from before a field had another type', async () => {
    const { data } = await t.call('POST', '/fields', {
      body: { name: 'Long', fieldType: 'Text', length: 900 },
    });
    const { id } = data as { id: number };
    await modify(1, { [id]: 'é'.repeat(900) });
    expect(await values(1)).toEqual([[[id, null, 'é'.repeat(500)]]]);
    await modify(1, { [id]: `${'é'.repeat(899)}x`, 40: '1' });
    expect((await values(1))[0]).toHaveLength(2);
    await t.call('PUT', '/fields', { body: { id, fieldType: 'Integer' } });
    expect(await values(1)).toEqual([[[40, null, '1']]]);
  });

  it('200 by pages, newest first, even if they have the same time', async () => {
    for (const n of [1, 2, 3, 4, 5]) await modify(1, { 102: n });
    const found: unknown[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: Page = await list(1, { limit: 2, ...(next !== '' && { before: next }) });
      found.push(...page.changes.map((change) => change.values[0]!.after));
      next = page.next;
    }
    expect(found).toEqual([5, 4, 3, 2, 1]);
  });

  it('200 shows a deleted import and a deleted user without a name', async () => {
    await modify(1, { 101: 'x' });
    for (const cause of ['import', 'user']) {
      await t.db.run(sql`update ${t.db.t.subscriber_change} set cause = ${cause}, id_source = 999999`);
      const name = cause === 'import' ? 'Import' : 'User';
      expect((await list(1)).changes).toMatchObject([{ cause: name, idImport: null, name: null }]);
    }
  });

  it('forgets the changes of a subscriber who is deleted', async () => {
    for (const id of [1, 2]) await modify(id, { 101: 'x' });
    await t.call('DELETE', '/subscribers', { body: [1] });
    expect(await list(1)).toEqual({ changes: [], next: null });
    expect(await count()).toBe(1);
  });

  it('a call that fails leaves no change', async () => {
    const body = [
      { id: 1, fields: [{ idField: 101, value: 'x' }] },
      { id: 2, fields: [{ idField: 1, value: 'ada@example.com' }] },
    ];
    expect((await t.call('PUT', '/subscribers', { body, session })).status).toBe(409);
    expect(await count()).toBe(0);
  });

  it.each(['x', '1_', '12345678901234_1'])('400 for the cursor %s', async (before) => {
    expect(await ask(1, { before })).toMatchObject({ status: 400, error: expect.stringContaining('before') });
  });

  it('404 for an unknown subscriber, and for that of another site', async () => {
    expect(await ask(99)).toMatchObject({ status: 404, error: 'Subscriber not found' });
    expect((await ask(1, {}, 'other')).status).toBe(404);
  });
});
