import type { components } from '../api/schema.d.ts';
import { type Field, fieldIds } from '../subscribers/fields.ts';

export type Preview = components['schemas']['Preview'];
export type ImportParameters = components['schemas']['ImportParameters'];
type ColumnMapping = components['schemas']['ColumnMapping'];

/** How the service numbers where values come from: a column of the file, one fixed value, the time of the import. */
const source = { column: 1, fixed: 2, time: 4 } as const;

/** The field that a column becomes, with the format of its dates or list; no field means that it is skipped. */
export interface Choice {
  readonly idField?: number;
  readonly format?: string;
}

const idOf = (dbFieldName: string | null): number | undefined =>
  dbFieldName === null ? undefined : Number(dbFieldName.replace('fld', ''));

/** The choices that the service guesses, a field at most once. */
function guessedChoices({ columns, rows }: Preview, fields: readonly Field[]): Choice[] {
  const taken = new Set<number>();
  return columns.map(({ dbFieldName }, at) => {
    const field = fields.find(({ id }) => id === idOf(dbFieldName));
    if (!field || taken.has(field.id)) return {};
    taken.add(field.id);
    return choiceOf(
      field,
      rows.map((row) => row[at]),
    );
  });
}

/** The choice of a field for a column; dates as most values of the column write them. */
export function choiceOf({ id, fieldType }: Field, column: Column): Choice {
  const format = fieldType === 'Date' ? dateFormatOf(valuesOf(column)) : undefined;
  return { idField: id, ...(format && { format }) };
}

/** The values of a column; undefined where a row is too short. */
type Column = readonly (string | undefined)[];

const valuesOf = (column: Column): string[] => column.flatMap((value) => value?.trim() || []);

const numericDate = /^(\d{2})([/.-])(\d{2})\2\d{4}$/;

/** How at least half of the values write dates with numbers, the year last; undefined if they do not. */
function dateFormatOf(values: readonly string[]): string | undefined {
  const found = values.flatMap((value) => {
    const [, , separator, second] = numericDate.exec(value) ?? [];
    return separator === undefined ? [] : { separator, second: Number(second) };
  });
  if (found.length === 0 || found.length * 2 < values.length) return undefined;
  const { separator } = found[0]!;
  const parts = found.some(({ second }) => second > 12) ? ['MM', 'dd', 'yyyy'] : ['dd', 'MM', 'yyyy'];
  return parts.join(separator);
}

/** Types of the fields that an import can create. */
export const newTypes = ['Text', 'Integer', 'Date', 'Boolean'] as const;

/** The type that fits the values of a column, and how its dates are written. */
export interface Fitting {
  readonly fieldType: (typeof newTypes)[number];
  readonly format?: string;
}

/** Finds the type for a new field. Digits that are all as long, or begin with 0, are codes: postcodes, telephones. */
export function fittingType(column: Column): Fitting {
  const values = valuesOf(column);
  const all = (pattern: RegExp) => values.length > 0 && values.every((value) => pattern.test(value));
  if (all(/^\d{4}-\d{2}-\d{2}$/)) return { fieldType: 'Date' };
  const format = dateFormatOf(values);
  if (format && all(numericDate)) return { fieldType: 'Date', format };
  const isCode = values.every(({ length }) => length >= 5 && length === values[0]!.length);
  return { fieldType: all(/^(0|-?[1-9]\d{0,8})$/) && !isCode ? 'Integer' : 'Text' };
}

/** Whether the service accepts a column for the field: the others it fills itself. */
export const isImportable = ({ id }: Field): boolean => ![0, 2, 37, 42].includes(id);

/** Whether a field can identify existing people. */
export const isKey = (field: Field): boolean =>
  field.id === fieldIds.email ||
  field.id === fieldIds.clientId ||
  (!field.isSystem && (field.fieldType === 'Text' || field.fieldType === 'Integer'));

/** The field that is filled twice, by columns or fixed values, if there is one. */
export function chosenTwice(choices: readonly { readonly idField?: number }[]): number | undefined {
  const ids = choices.flatMap(({ idField }) => idField ?? []);
  return ids.find((id, at) => ids.indexOf(id) !== at);
}

/** A field that no column of the file fills: one value for all people, or the time of the import. */
export interface Extra {
  /** Undefined until a field is chosen. */
  readonly idField?: number;
  readonly value: string;
  readonly isTime: boolean;
}

/** Whether the service accepts a fixed value for the field: its values must not differ for each subscriber. */
export const takesFixed = (field: Field): boolean =>
  isImportable(field) && field.id !== fieldIds.email && field.id !== fieldIds.clientId;

/** The rules of an import, by the names of the service. */
export const firstRules = { insertEnabled: true, keepFld7: true, safeMode: false, deleteFile: false };
export type Rules = typeof firstRules;

/** The user's choices for a file. */
export interface Chosen {
  readonly choices: readonly Choice[];
  readonly extras: readonly Extra[];
  readonly rules: Rules;
  readonly idKeyField: number;
}

/** The choices without the user: guessed columns and the usual rules. */
export const firstChosen = (preview: Preview, fields: readonly Field[]): Chosen => ({
  choices: guessedChoices(preview, fields),
  extras: [],
  rules: firstRules,
  idKeyField: fieldIds.email,
});

const columnMappings = ({ columns }: Preview, choices: readonly Choice[]): ColumnMapping[] =>
  columns.flatMap(({ name }, at) => {
    const { idField, format } = choices[at] ?? {};
    if (idField === undefined) return [];
    return {
      dbFieldName: `fld${idField}`,
      idMappingMode: source.column,
      fileColumnName: name,
      ...(format && { format }),
    };
  });

const extraMappings = (extras: readonly Extra[]): ColumnMapping[] =>
  extras.flatMap(({ idField, value, isTime }) => {
    if (idField === undefined) return [];
    const dbFieldName = `fld${idField}`;
    return isTime
      ? { dbFieldName, idMappingMode: source.time }
      : { dbFieldName, idMappingMode: source.fixed, fixedValue: value };
  });

/**
 * The parameters of the import that the user has prepared; columns that become nothing are omitted.
 * @param sheetName the sheet of a workbook, if the user has chosen one
 */
export function parametersOf(
  filename: string,
  preview: Preview,
  chosen: Chosen,
  sheetName?: string,
): ImportParameters {
  const { startLine, columnNamesFirstLine, textQualifier, columnDelimiter, codepage } = preview;
  return {
    filename,
    ...{ startLine, columnNamesFirstLine, textQualifier, columnDelimiter, codepage },
    ...(sheetName && { sheetName }),
    ...chosen.rules,
    keyDbFieldName: `fld${chosen.idKeyField}`,
    columnMapping: [...columnMappings(preview, chosen.choices), ...extraMappings(chosen.extras)],
  };
}
