import { type Field, makeField } from '../fields/field.ts';
import { listFields } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { raw, sql } from '../platform/db/sql.ts';

const cities = [
  { key: 1, value: 'Paris' },
  { key: 2, value: 'Lyon' },
  { key: -3, value: 'Nîmes' },
];

/** A custom field of each type: 101 Text, 102 Integer, 103 Date, 104 Boolean, 105 List. */
export const customFields: readonly Field[] = [
  makeField(101, { name: 'Prénom', fieldType: 'Text', length: 255 }),
  makeField(102, { name: 'Points', fieldType: 'Integer' }),
  makeField(103, { name: 'Naissance', fieldType: 'Date' }),
  makeField(104, { name: 'Client', fieldType: 'Boolean' }),
  makeField(105, { name: 'Ville', fieldType: 'List', list: cities }),
];

const columnTypes = ['text', 'bigint', 'timestamptz', 'boolean', 'integer'];

/** Gives a site `customFields`; all its fields by id. */
export async function addCustomFields(db: SiteDb): Promise<Map<number, Field>> {
  for (const [i, { id, name, fieldType, length, list }] of customFields.entries()) {
    await db.run(sql`
      insert into ${db.t.field} (id, name, field_type, length, list)
      values (${id}, ${name}, ${fieldType}, ${length}, ${list && JSON.stringify(list)})`);
    await db.run(sql`alter table ${db.t.subscriber} add ${raw(`fld${id} ${columnTypes[i]}`)}`);
  }
  return new Map((await listFields(db)).map((field) => [field.id, field]));
}
