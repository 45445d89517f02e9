import type { Field } from '../fields/field.ts';
import { showValue } from '../fields/field-value.ts';
import {
  Closed,
  Id,
  IdOf,
  Int32,
  Nullable,
  OneOf,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';

/** The cause of changes: an import, or a user of the console. */
export interface ChangeSource {
  readonly cause: keyof typeof causes;
  readonly id: number;
}

const causes = { import: 'Import', user: 'User' } as const;

/** The time and the cause of a write to subscribers. */
export interface Writing {
  readonly at: Date;
  /** null: a program, whose changes are not kept. */
  readonly by: ChangeSource | null;
}

/**
 * The source of changes by a caller: a user of the console; null for a program with a token. Keeping the changes of
 * programs would let them update 40 percent fewer subscribers a second, one in each call (0.27 of the bare rate instead
 * of 0.45).
 */
export const sourceOf = ({
  idToken,
  idUser,
}: {
  idToken: number | null;
  idUser: number;
}): ChangeSource | null => (idToken === null ? { cause: 'user', id: idUser } : null);

/** The most subscribers of one import whose changes are kept. */
export const mostKeptOfImport = 100_000;

/** The first characters of a text that are kept. */
export const keptCharacters = 500;

const Value = (when: string) =>
  Type.Unknown({ description: `The value ${when}, as in getSubscribers; null: none. Texts are cut` });

const ChangedValue = Closed('ChangedValue', {
  idField: IdOf('field', Int32('The id of the field')),
  before: Value('before'),
  after: Value('after'),
});
type ChangedValue = Static<typeof ChangedValue>;

export const KeptChange = Closed('KeptChange', {
  at: Timestamp(),
  cause: OneOf(Object.values(causes), 'Import, User: a user of the console'),
  idImport: Nullable(
    Id('import', 'Import: its id. null for other causes, and for an import that no longer exists'),
  ),
  name: Nullable(
    Type.String({
      description: 'The imported file, or the user. null if it is unknown now',
    }),
  ),
  values: Type.Array(ChangedValue, { description: 'The values that changed, by field' }),
});
export type KeptChange = Static<typeof KeptChange>;

/** A change as the database returns it: values as texts, by the id of their field. */
export interface ChangeRow {
  readonly at: string;
  readonly cause: ChangeSource['cause'];
  readonly idImport: number | null;
  readonly name: string | null;
  readonly values: readonly (readonly [idField: string, before: string | null, after: string | null])[];
}

export function showChange(
  { values, cause, ...row }: ChangeRow,
  fields: ReadonlyMap<number, Field>,
): KeptChange {
  return {
    ...{ at: row.at, cause: causes[cause], idImport: row.idImport, name: row.name },
    values: values.flatMap(([id, before, after]): ChangedValue[] => {
      const field = fields.get(Number(id));
      if (!field) return [];
      return [{ idField: field.id, before: valueFrom(field, before), after: valueFrom(field, after) }];
    }),
  };
}

/** The value of a field from its text. */
function valueFrom(field: Field, text: string | null): unknown {
  if (text === null || field.fieldType === 'Text') return text;
  if (field.fieldType === 'Date') return new Date(`${text}Z`).toISOString();
  if (field.fieldType === 'Integer') return showValue(field, text);
  // Field 8 is a Boolean that is stored as 0 or 1.
  return field.fieldType === 'Boolean' && field.id !== 8 ? text === 'true' : Number(text);
}
