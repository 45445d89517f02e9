import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { subscribersOperations } from '../operations.ts';
import type { Subscriber } from '../subscriber.ts';

const hashes = { MD5: 'md5', SHA1: 'sha1', SHA2_256: 'sha256', SHA2_512: 'sha512' } as const;

describe('getSubscribers', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
    await addCustomFields(t.db);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld43, fld101, fld102, fld103, fld104, fld105) values
        ('Anna@example.com', 9223372036854775807, 'Zoé', 9223372036854775807, '2020-02-29 12:00:00+00', true, 2),
        ('ben@example.com', 5, null, null, null, null, null)`);
  });
  afterAll(() => t.close());

  const get = (query: Record<string, string | readonly (string | number)[]>) =>
    t.call('GET', '/subscribers', { query, as: 'reader' });
  const idsFor = async (query: Record<string, string | readonly (string | number)[]>) =>
    ((await get(query)).data as (Subscriber | null)[]).map((one) => one?.id ?? null);

  it('200 shows all fields, each in its type', async () => {
    const reply = await get({ 'filter.by': 'IdSubscriber', 'filter.values': '1' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Subscriber[]' });
    const [anna] = reply.data as Subscriber[];
    expect(anna!.fields).toHaveLength(24);
    expect(anna!.fields.slice(-5)).toEqual([
      { idField: 101, value: 'Zoé' },
      { idField: 102, value: '9223372036854775807' },
      { idField: 103, value: '2020-02-29T12:00:00.000Z' },
      { idField: 104, value: true },
      { idField: 105, value: 2 },
    ]);
  });

  it('200 shows the fields requested, in that order', async () => {
    const { data } = await get({
      'filter.by': 'Email',
      'filter.values': 'anna@example.com',
      'filter.idFields': [101, 0, 7],
    });
    expect(data).toEqual([
      {
        id: 1,
        fields: [
          { idField: 101, value: 'Zoé' },
          { idField: 0, value: 1 },
          { idField: 7, value: 0 },
        ],
      },
    ]);
  });

  it.each([
    ['IdSubscriber', [2, 999, 1, 2], [2, null, 1, 2]],
    ['IdSubscriber', ['-1', '0', '99999999999'], [null, null, null]],
    ['IdSubscriber', [' 2', '1 '], [2, 1]],
    ['IdClient', [5, '9223372036854775807', 1], [2, 1, null]],
    [
      'Email',
      ['BEN@EXAMPLE.COM', ' anna@example.com', 'no address', '', 'é\u0000@x.y'],
      [2, 1, null, null, null],
    ],
    ['Unspecified', ['ben@example.com', '1', '999', 'x@example.com'], [2, 1, null, null]],
  ])('200 by %s, in the order of the values, null for nobody: %j', async (by, values, expected) => {
    expect(await idsFor({ 'filter.by': by, 'filter.values': values })).toEqual(expected);
  });

  it.each(Object.entries(hashes))(
    '200 by %s of the lower-cased email, in either case',
    async (encoding, name) => {
      const hash = createHash(name).update('anna@example.com').digest('hex');
      const other = createHash(name).update('Anna@example.com').digest('hex');
      const query = { 'filter.by': 'Email', 'filter.emailEncoding': encoding };
      expect(await idsFor({ ...query, 'filter.values': [hash, other, hash.toUpperCase()] })).toEqual([
        1,
        null,
        1,
      ]);
      const mixed = { ...query, 'filter.by': 'Unspecified', 'filter.values': [hash, '2', 'ben@example.com'] };
      expect(await idsFor(mixed)).toEqual([1, 2, 2]);
    },
  );

  it('200 with nobody for no values', async () => {
    expect((await get({ 'filter.by': 'Email', 'filter.values': '' })).data).toEqual([]);
  });

  it.each([
    [{ 'filter.values': '1' }, 'filter.by: is required'],
    [{ 'filter.by': 'Email' }, 'filter.values: is required'],
    [
      { 'filter.by': 'Name', 'filter.values': '1' },
      'filter.by: must be one of Unspecified, IdSubscriber, IdClient, Email',
    ],
    [
      { 'filter.by': 'Email', 'filter.values': '1', 'filter.emailEncoding': 'SHA2' },
      'filter.emailEncoding: must be one of',
    ],
    [{ 'filter.by': 'IdSubscriber', 'filter.values': '1,a@b.c' }, 'filter.values[1]: must be a whole number'],
    [{ 'filter.by': 'IdClient', 'filter.values': '1e3' }, 'filter.values[0]: must be a whole number'],
    [
      { 'filter.by': 'Unspecified', 'filter.values': "1' or '1'='1" },
      'filter.values[0]: must be an email address or a subscriber id (a whole number of 64 bits)',
    ],
    [
      { 'filter.by': 'Unspecified', 'filter.emailEncoding': 'MD5', 'filter.values': 'ada' },
      'filter.values[0]: must be an email address, 32 hexadecimal digits (MD5) or a subscriber id',
    ],
    [
      { 'filter.by': 'IdSubscriber', 'filter.values': 'ada' },
      'filter.values[0]: must be a whole number of 64 bits',
    ],
    [
      { 'filter.by': 'Email', 'filter.emailEncoding': 'MD5', 'filter.values': '0x00' },
      'filter.values[0]: must be 32 hexadecimal digits',
    ],
    [
      { 'filter.by': 'Email', 'filter.values': '1', 'filter.idFields': '1,999' },
      'filter.idFields: field 999 is unknown',
    ],
    [
      { 'filter.by': 'Email', 'filter.values': Array(5001).fill('1').join(',') },
      'filter.values: must have at most 5000 items',
    ],
  ])('400 %#: %j', async (query, message) => {
    const { status, error } = await get(query as Record<string, string>);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
  });

  it('200 shows nobody of another site', async () => {
    const query = { 'filter.by': 'Email', 'filter.values': 'ben@example.com' };
    expect((await t.call('GET', '/subscribers', { query, site: 'other', as: 'admin' })).data).toEqual([null]);
  });

  it('409 while the fields are being changed over and over', async () => {
    await t.db.run(sql`create sequence ${t.db.name('change')}`);
    await t.db.run(sql`alter table ${t.db.t.field_version} rename to field_version_kept`);
    await t.db.run(
      sql`create view ${t.db.t.field_version} as select nextval('site_demo.change')::int as version`,
    );
    const reply = await get({ 'filter.by': 'IdSubscriber', 'filter.values': '1' });
    await t.db.run(sql`drop view ${t.db.t.field_version}`);
    await t.db.run(sql`alter table ${t.db.name('field_version_kept')} rename to field_version`);
    expect(reply).toMatchObject({
      status: 409,
      error: 'Other requests keep changing the fields; try again later',
    });
    expect(await idsFor({ 'filter.by': 'IdSubscriber', 'filter.values': '1' })).toEqual([1]);
  });
});
