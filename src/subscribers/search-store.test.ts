import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeField } from '../fields/field.ts';
import { insertField } from '../fields/field-store.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSubscribers } from '../testing/campaign-makers.ts';
import { pageWithText, TextSearch } from './search-store.ts';

describe('a search in the lists of a request', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await makeSubscribers(t.db, [1, 2, 11, 12, 21]);
  });
  afterAll(() => t.close());

  const read = async ({ after, most, among }: { after: number; most: number; among?: readonly number[] }) =>
    [1, 2, 11, 12, 21, 31]
      .filter((id) => id > after && (among?.includes(id) ?? true))
      .slice(0, most)
      .map((idSubscriber) => ({ idSubscriber }));
  const page = async (search: TextSearch, after: number, most: number) =>
    (await pageWithText(search, { after, most }, read)).map(({ idSubscriber }) => idSubscriber);

  it('finds the subscribers once for several lists', async () => {
    const search = new TextSearch(t.db, '1@EX', new AbortController().signal);
    expect(await page(search, 0, 2)).toEqual([1, 11]);
    await makeSubscribers(t.db, [31]);
    expect(await page(search, 0, 10)).toEqual([1, 11, 21]);
    const another = new TextSearch(t.db, '1@EX', new AbortController().signal);
    expect(await page(another, 0, 10)).toEqual([1, 11, 21, 31]);
  });

  it('ends when the client has gone', async () => {
    const gone = new AbortController();
    const search = new TextSearch(t.db, '1@ex', gone.signal);
    expect(await page(search, 0, 1)).toEqual([1]);
    gone.abort(new Error('gone'));
    await expect(page(search, 1, 1)).rejects.toThrow('gone');
    await expect(page(search, 0, 1)).rejects.toThrow('gone');
  });

  it('searches by the fields of now after another process changed the type of one', async () => {
    const { id } = await insertField(t.db, 1, (next) =>
      makeField(next, { name: 'City', fieldType: 'Text', length: 9 }),
    );
    const call = (text: string) =>
      t.call('GET', '/subscribers/search', { as: 'reader', query: { search: text } });
    expect((await call('nantes')).status).toBe(200);
    await t.db.run(sql`alter table ${t.db.t.subscriber} alter column fld101 type int using null`);
    await t.db.run(sql`update ${t.db.t.field} set field_type = 'Integer', length = null where id = ${id}`);
    expect(await call('21@')).toMatchObject({ status: 200, data: { subscribers: [{ id: 21 }] } });
  });
});
