import { type Field, makeField } from '../fields/field.ts';
import { insertField, listFields } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';

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

/** Gives a site without custom fields `customFields`; all its fields by id. */
export async function addCustomFields(db: SiteDb): Promise<Map<number, Field>> {
  for (const field of customFields) {
    const { id } = await insertField(db, customFields.length, (next) => ({ ...field, id: next }));
    if (id !== field.id) throw new Error(`The site has a field ${field.id}`);
  }
  return new Map((await listFields(db)).map((field) => [field.id, field]));
}
