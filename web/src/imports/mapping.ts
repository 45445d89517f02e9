import type { components } from '../api/schema.d.ts';
import { type Field, fieldIds } from '../subscribers/fields.ts';

export type Preview = components['schemas']['Preview'];
type ColumnMapping = components['schemas']['ColumnMapping'];

/** How the service numbers where values come from: a column of the file. */
const fromColumn = 1;

/** The field that a column becomes, with the format of its dates or list; no field means that it is skipped. */
export interface Choice {
  readonly idField?: number;
  readonly format?: string;
}

const idOf = (dbFieldName: string | null): number | undefined =>
  dbFieldName === null ? undefined : Number(dbFieldName.replace('fld', ''));

/** The choices that the service guesses, a field at most once. */
export function guessedChoices({ columns }: Preview): Choice[] {
  const taken = new Set<number>();
  return columns.map(({ dbFieldName }) => {
    const idField = idOf(dbFieldName);
    if (idField === undefined || taken.has(idField)) return {};
    taken.add(idField);
    return { idField };
  });
}

/** Whether the service accepts a column for the field: the others it fills itself. */
export const isImportable = ({ id }: Field): boolean => ![0, 2, 37, 42].includes(id);

/** Whether a field can identify existing people. */
export const isKey = (field: Field): boolean =>
  field.id === fieldIds.email ||
  field.id === fieldIds.clientId ||
  (!field.isSystem && (field.fieldType === 'Text' || field.fieldType === 'Integer'));

/** The field that two columns become, if there is one. */
export function chosenTwice(choices: readonly Choice[]): number | undefined {
  const ids = choices.flatMap(({ idField }) => idField ?? []);
  return ids.find((id, at) => ids.indexOf(id) !== at);
}

/** The choices as the service takes them; columns that become nothing are omitted. */
export const mappingOf = ({ columns }: Preview, choices: readonly Choice[]): ColumnMapping[] =>
  columns.flatMap(({ name }, at) => {
    const { idField, format } = choices[at] ?? {};
    if (idField === undefined) return [];
    return {
      dbFieldName: `fld${idField}`,
      idMappingMode: fromColumn,
      fileColumnName: name,
      ...(format && { format }),
    };
  });
