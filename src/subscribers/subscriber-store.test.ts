import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../fields/field.ts';
import { changeField } from '../fields/field.ts';
import { type FieldSet, withFieldSet } from '../fields/field-set.ts';
import { holdFields, updateField } from '../fields/field-store.ts';
import { normaliseText } from '../fields/field-value.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import { until } from '../testing/until.ts';
import { buildHashIndex, hashes, isHash } from './hash-index.ts';
import { findSql, type Wanted } from './lookup.ts';
import { byId, parseInsert, parseUpdate, type Subscriber, showSubscriber } from './subscriber.ts';
import { findSubscribers, insertSubscribers, updateSubscribers } from './subscriber-store.ts';

const writing = () => ({ at: new Date(), by: { cause: 'user', id: 1 } as const });
const hashOf = (name: string) => createHash(name).update('row7@example.com').digest('hex');

describe('the subscriber store', () => {
  let t: TestApp;
  let fields: Map<number, Field>;
  let unique = 0;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
    fields = await addCustomFields(t.db);
  });
  afterAll(() => t.close());

  const given = (values: Record<number, unknown>) =>
    Object.entries(values).map(([id, value]) => ({ idField: Number(id), value }));
  const insert = async (valuesOf: (set: FieldSet) => Record<number, unknown>) =>
    withFieldSet(t.db, async (set) => {
      const all = given({ 1: `s${++unique}@example.com`, ...valuesOf(set) });
      const rows = await insertSubscribers(t.db, set, [parseInsert(set.byId, all)], new Date());
      return rows && showSubscriber(rows[0]!, set.fields);
    });
  const fieldOf = (subscriber: Subscriber, id: number) =>
    subscriber.fields.find(({ idField }) => idField === id)!.value;

  it('keeps and shows any value of each type, written by insert, by update, alone or among others', async () => {
    const value = fc.record(
      {
        101: fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
          .filter((one) => !one.includes('\0'))
          .map(normaliseText)
          .filter((one) => one !== ''),
        102: fc.oneof(fc.maxSafeInteger(), fc.bigInt(2n ** 53n, 2n ** 63n - 1n).map(String)),
        103: fc
          .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
          .map((at) => at.toISOString()),
        104: fc.boolean(),
        105: fc.constantFrom(1, 2, -3, null),
      },
      { requiredKeys: [] },
    );
    const { id } = await insert(() => ({}));
    await fc.assert(
      fc.asyncProperty(value, value, async (one, other) => {
        const inserted = await insert(() => one);
        const changes = [
          { id, values: parseUpdate(fields, given(one)).values },
          { id: inserted.id, values: parseUpdate(fields, given(other)).values },
        ];
        const rows = await updateSubscribers(t.db, fields, changes, writing());
        const shown = (subscriber: Subscriber) =>
          Object.fromEntries(subscriber.fields.map(({ idField, value: v }) => [idField, v]));
        const updated = (one: number) => showSubscriber(rows.get(one)!, [...fields.values()]);
        expect(shown(inserted)).toMatchObject(one);
        expect(shown(updated(id))).toMatchObject(one);
        expect(shown(updated(inserted.id))).toMatchObject({ ...one, ...other });
      }),
      { numRuns: 40 },
    );
  });

  const look = [
    ['id', '7', 'pkey'],
    ['client', '7', 'client'],
    ['email', 'Row7@example.com', 'email'],
    ['MD5', hashOf('md5'), 'email_md5'],
    ['SHA1', hashOf('sha1'), 'email_sha1'],
    ['SHA2_256', hashOf('sha256'), 'email_sha256'],
    ['SHA2_512', hashOf('sha512'), 'email_sha512'],
  ] as const;
  const rows = 20_000;

  describe.each(['subscriber', 'archived_subscriber'] as const)('look-ups in %s', (name) => {
    const places = {
      subscriber: { id: sql`fld0`, email: sql`fld1`, client: sql`fld43` },
      archived_subscriber: { id: sql`id`, email: sql`email`, client: sql`client_id` },
    };
    beforeAll(async () => {
      const table = t.otherDb.t[name];
      const { id, email, client } = places[name];
      const more = name === 'subscriber' ? [sql``, sql``] : [sql`, archived_at, fields`, sql`, now(), '{}'`];
      await t.db.run(sql`
        insert into ${table} (${id}, ${email}, ${client}${more[0]!})
        select n, 'row' || n || '@example.com', n${more[1]!} from generate_series(1, ${rows}::int) n`);
      for (const hash of Object.keys(hashes).filter(isHash)) await buildHashIndex(t.otherDb, hash);
    });

    it.each(look)(
      'by %s use an index, before the table is analysed and after',
      async (kind, value, index) => {
        const place = { table: t.otherDb.t[name], ...places[name] };
        const many = (count: number): Wanted => ({
          kind,
          values: Array<string>(count).fill(value),
          positions: Array.from({ length: count }, (_, i) => i),
        });
        for (const analyse of [sql`select`, sql`analyze ${place.table}`]) {
          await t.db.run(analyse);
          for (const count of [1, 1000, 5000]) {
            const plan = await t.db.rows<{ 'QUERY PLAN': string }>(
              sql`explain ${findSql(place, many(count), sql`${place.id}, ${place.email}`)}`,
            );
            const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
            expect(lines).toContain(`${name}_${index}`);
            expect(lines).not.toContain('Seq Scan');
          }
        }
        // Without the index the planner has only the scan: the words looked for above are the ones it would say.
        const scanned = await t.db.rows<{ 'QUERY PLAN': string }>(sql`
        explain select from ${place.table} where ${place.email} || '' = ${value}`);
        expect(scanned.map((row) => row['QUERY PLAN']).join('\n')).toContain('Seq Scan');
        const found = await t.db.rows(findSql(place, many(5000), sql`${place.id} as id`));
        expect(new Set(found.map((row) => row.id))).toEqual(new Set([7]));
        expect(found).toHaveLength(5000);
      },
    );
  });

  it('writes by the right type while a field changes its type over and over', async () => {
    const types = [
      { id: 102, fieldType: 'Text', length: 50 },
      { id: 102, fieldType: 'Integer' },
    ] as const;
    const { id } = await insert(() => ({}));
    let isDone = false;
    const rounds = [0, 0, 0];
    // A reader tries ten times: each of them ends a round before the next change, however slow the machine is.
    const changing = (async () => {
      for (let i = 0; i < 30; i++) {
        const before = [...rounds];
        await updateField(t.db, 102, (field) => changeField(field, types[i % 2]!));
        await until(() => rounds.every((count, one) => count > before[one]!), 'a round of each');
      }
    })().finally(() => {
      isDone = true;
    });
    const wordOrNumber = (set: ReadonlyMap<number, Field>, n: number) =>
      set.get(102)!.fieldType === 'Text' ? `word ${n}` : n;
    const many = async (index: number, work: (n: number) => Promise<void>) => {
      for (; !isDone; rounds[index]!++) await work(rounds[index]!);
    };
    await Promise.all([
      changing,
      many(0, async (n) => {
        await t.db.transaction(async (tx) => {
          const held = byId(await holdFields(tx));
          const value = wordOrNumber(held, n);
          const values = parseUpdate(held, given({ 102: value })).values;
          const row = (await updateSubscribers(tx, held, [{ id, values }], writing())).get(id)!;
          expect(fieldOf(showSubscriber(row, [held.get(102)!]), 102)).toBe(value);
        });
      }),
      many(1, async (n) => {
        let value: unknown;
        const inserted = await insert((set) => {
          value = wordOrNumber(set.byId, n);
          return { 102: value };
        });
        expect(fieldOf(inserted, 102)).toBe(value);
      }),
      many(2, async () => {
        const wanted: Wanted = { kind: 'id', values: [String(id)], positions: [0] };
        const shown = await withFieldSet(t.db, async (set) => {
          const field = set.byId.get(102)!;
          const found = await findSubscribers(t.db, [wanted], set, [field]);
          return found && { field, subscriber: showSubscriber(found.get(0)!, [field]) };
        });
        const value = fieldOf(shown.subscriber, 102);
        expect(['object', shown.field.fieldType === 'Text' ? 'string' : 'number']).toContain(typeof value);
      }),
    ]);
  });

  it('finds a field at once that another process has added', async () => {
    await insert(() => ({}));
    await t.db.run(sql`insert into ${t.db.t.field} (id, name, field_type) values (150, 'New', 'Integer')`);
    await t.db.run(sql`alter table ${t.db.t.subscriber} add fld150 bigint`);
    expect(fieldOf(await insert(() => ({ 150: 7 })), 150)).toBe(7);
    await expect(insert(() => ({ 151: 7 }))).rejects.toThrow('Field 151: is unknown');
  });
});
