import { isDeepStrictEqual } from 'node:util';
import { identifier, type Sql, sql } from '../platform/db/sql.ts';
import { invalid, refused } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Count,
  IdOf,
  Int32,
  Line,
  Maybe,
  Nullable,
  OneOf,
  Reference,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';
import { visibleName } from '../platform/http/visible-name.ts';

export const fieldTypes = ['Text', 'Integer', 'Date', 'List', 'Boolean'] as const;
export type FieldType = (typeof fieldTypes)[number];

/** The smallest id of a custom field; below 100 all ids belong to the system. */
export const firstCustomId = 101;
export const maxTextLength = 10_000;
/** Maximum number of fields in a call; more than a site can have, system fields included. */
export const maxFieldsPerCall = 500;

/** Filled by the service itself: identifier, first subscription date, email domain, French department. */
const neverWritten: ReadonlySet<number> = new Set([0, 2, 37, 42]);

const ListEntry = Closed('ListEntry', { key: Int32(), value: Line(255) });
export type ListEntry = Static<typeof ListEntry>;
const ListEntries = () => Type.Array(ListEntry, { maxItems: 10_000 });
const Length = () => Type.Integer({ title: 'Int32', minimum: 0, maximum: maxTextLength });
const Name = () => Type.String({ ...Line(255), minLength: 1 });

/** A column of the subscriber table, as the API shows it. */
export const Field = Closed('Field', {
  id: Count(),
  name: Name(),
  length: Nullable(Length()),
  list: Nullable(ListEntries()),
  fieldType: OneOf(fieldTypes),
  description: Text(500),
  isSystem: Bool(),
  isVisible: Bool(),
  isEditable: Bool(),
  isHiddenByCustomer: Bool(),
});
export type Field = Static<typeof Field>;

const settings = {
  length: Maybe(Length()),
  list: Maybe(ListEntries()),
  description: Maybe(Text(500)),
  // Taken so that a field can be sent back as it was read; it says nothing new.
  isSystem: Maybe(Type.Literal(false)),
  isVisible: Maybe(Bool()),
  isEditable: Maybe(Bool()),
  isHiddenByCustomer: Maybe(Bool()),
};

/** Properties of createField. `makeField` rejects an id other than 0, which would mean a change of that field. */
export const NewField = Closed('NewField', {
  id: Reference('field', 'Given by the service, and not by its callers'),
  name: Name(),
  fieldType: OneOf(fieldTypes),
  ...settings,
});
export type NewField = Static<typeof NewField>;

/** Properties of modifyField: id and changes; null counts as omitted. A rule rejects changes of a system field. */
export const FieldChange = Closed('FieldChange', {
  id: IdOf('field', Count()),
  name: Maybe(Name()),
  fieldType: Maybe(OneOf(fieldTypes)),
  ...settings,
  isSystem: Maybe(Bool()),
});
export type FieldChange = Static<typeof FieldChange>;

export const FieldQuota = Closed('FieldQuota', {
  quota: Count(),
  nbSpecificFields: Count(),
  nbRemainingFields: Count(),
});

/** A field's column name, `fld<id>`: SQL filters, imports and exports name columns so. */
export function columnOf(field: Pick<Field, 'id'>): Sql {
  return identifier(columnNameOf(field));
}

export function columnNameOf(field: Pick<Field, 'id'>): string {
  if (!Number.isInteger(field.id)) throw new Error('A field id is an integer');
  return `fld${field.id}`;
}

/** The column as it is to be selected for `showValue`: integers as text, because they can be past 2^53. */
export function selectOf(field: Pick<Field, 'id' | 'fieldType'>): Sql {
  return field.fieldType === 'Integer'
    ? sql`${columnOf(field)}::text as ${columnOf(field)}`
    : columnOf(field);
}

/** The type of the field's column. Field 8 is a Boolean that the document writes as 0/1, and is kept so. */
export function columnTypeOf(field: Pick<Field, 'id' | 'fieldType'>): Sql {
  if (field.id === 8) return sql`bigint`;
  switch (field.fieldType) {
    case 'Text':
      return sql`text`;
    case 'Integer':
      return sql`bigint`;
    case 'Date':
      return sql`timestamptz`;
    case 'Boolean':
      return sql`boolean`;
    case 'List':
      return sql`integer`;
  }
}

/** Whether a subscriber's value of this field can be given by a caller. */
export const isWritable = (field: Pick<Field, 'id'>): boolean => !neverWritten.has(field.id);

/** How a message names a field. */
export const nameOf = (field: Pick<Field, 'id' | 'name'>): string => `Field ${field.id} (${field.name})`;

/** The field that a new definition makes. @throws 400 naming the member and the rule. */
export function makeField(id: number, given: NewField): Field {
  if (given.id != null) throw invalid('id: is given by the service; omit it to create a field');
  return checked({
    id,
    name: given.name,
    fieldType: given.fieldType,
    length: given.length ?? null,
    list: given.list ?? null,
    description: given.description ?? '',
    isSystem: false,
    isVisible: given.isVisible ?? true,
    isEditable: given.isEditable ?? true,
    isHiddenByCustomer: given.isHiddenByCustomer ?? false,
  });
}

/** Returns the changed field, or itself if nothing changes. @throws 422 for a system field, 400 for a broken rule */
export function changeField(field: Field, change: FieldChange): Field {
  const after = changed(field, change);
  if (isDeepStrictEqual(after, field)) return field;
  if (field.isSystem) throw refused(`${nameOf(field)} is a system field and cannot be modified`);
  if (after.isSystem) throw invalid('isSystem: must be false; only Facteur defines system fields');
  return checked(after);
}

function changed(field: Field, change: FieldChange): Field {
  const type = change.fieldType ?? field.fieldType;
  const isSameType = type === field.fieldType;
  return {
    ...field,
    name: change.name ?? field.name,
    fieldType: type,
    // A length of 0 and an empty list mean none, as everywhere: a Text or a List needs them.
    length: change.length || (isSameType ? field.length : null),
    list: change.list?.length ? change.list : isSameType ? field.list : null,
    description: change.description ?? field.description,
    isVisible: change.isVisible ?? field.isVisible,
    isEditable: change.isEditable ?? field.isEditable,
    isSystem: change.isSystem ?? field.isSystem,
    isHiddenByCustomer: change.isHiddenByCustomer ?? field.isHiddenByCustomer,
  };
}

function checked(field: Field): Field {
  return { ...field, name: visibleName(field.name), length: lengthOf(field), list: listOf(field) };
}

/** 0 stands for “none” with the other types, for callers whose integers cannot be null. */
function lengthOf({ fieldType, length }: Field): number | null {
  if (fieldType === 'Text') {
    if (!length) throw invalid(`length: a Text field needs a length from 1 to ${maxTextLength}`);
    return length;
  }
  if (length) throw invalid('length: only a Text field has one');
  return null;
}

function listOf({ fieldType, list }: Field): ListEntry[] | null {
  if (fieldType !== 'List') {
    if (list?.length) throw invalid('list: only a List field has one');
    return null;
  }
  if (!list?.length) throw invalid('list: a List field needs its allowed values');
  const keys = new Set<number>();
  for (const { key, value } of list) {
    if (keys.has(key)) throw invalid(`list: the key ${key} is listed twice`);
    // In a file it could not be told from an empty cell.
    if (value.trim() === '') throw invalid(`list: the value of the key ${key} is blank`);
    keys.add(key);
  }
  return list;
}
