import type { components } from '../api/schema.d.ts';
import { type Field, fieldIds } from '../subscribers/fields.ts';

export type Entry = components['schemas']['FieldFilterEntry'];
export type Operator = Entry['operator'];

/** A condition on a field while it is edited; its value may still be missing. */
export interface Condition {
  /** Tells conditions apart while they are edited. */
  readonly key: number;
  readonly idField: number;
  readonly operator: Operator;
  readonly value: string;
}

const every: readonly Operator[] = ['Equal', 'NotEqual', 'In', 'NotIn', 'HasValue', 'HasNoValue'];
const ordered: readonly Operator[] = ['Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual', 'Between'];
const days: readonly Operator[] = ['LastDays', 'NextDays', 'BeforeDaysAgo'];

/** The comparisons of a type of field, the usual ones first. */
const operatorsByType: Readonly<Record<Field['fieldType'], readonly Operator[]>> = {
  Text: ['Contains', 'NotContains', 'StartsWith', 'EndsWith', ...every, ...ordered],
  Integer: [...every, ...ordered],
  Date: [...days, 'Anniversary', ...ordered, ...every],
  List: every,
  Boolean: every,
};

/** The comparisons that a field knows. Fields whose numbers are codes are not more or less than something. */
export const operatorsOf = (field: Field): readonly Operator[] =>
  field.id === fieldIds.status || field.id === fieldIds.delivery ? every : operatorsByType[field.fieldType];

/** Returns how many values an operator compares with: none, one, two, several, or a number of days. */
export function takes(operator: Operator): 'none' | 'one' | 'two' | 'several' | 'days' {
  if (operator === 'HasValue' || operator === 'HasNoValue' || operator === 'Anniversary') return 'none';
  if (operator === 'Between') return 'two';
  if (operator === 'In' || operator === 'NotIn') return 'several';
  return days.includes(operator) ? 'days' : 'one';
}

/** Whether a condition can be saved: its values are all there. */
export function isComplete({ operator, value }: Pick<Condition, 'operator' | 'value'>): boolean {
  switch (takes(operator)) {
    case 'none':
      return true;
    case 'two': {
      const parts = value.split(';');
      return parts.length === 2 && parts.every((part) => part.trim() !== '');
    }
    case 'days':
      return /^\d{1,5}$/.test(value.trim());
    default:
      return value.trim() !== '';
  }
}

/** Whether an entry is the one that makes a target safe: field 7 is 0, subscribed. */
export const isSubscribedOnly = ({ idField, operator, value }: Entry): boolean =>
  idField === fieldIds.status && operator === 'Equal' && value === '0';

/** The field filter of a target, as the builder edits it. */
export interface FieldFilterDraft {
  readonly isEnabled: boolean;
  readonly subscribedOnly: boolean;
  readonly conditions: readonly Condition[];
}

let keys = 0;

/** A new number for a condition. */
export const nextKey = (): number => {
  keys += 1;
  return keys;
};

/** Makes the draft of a field filter from the filter of the service. */
export function draftOf(filter: components['schemas']['FieldFilter'] | null): FieldFilterDraft {
  const entries = filter?.filters ?? [];
  return {
    isEnabled: filter?.isEnabled !== false,
    subscribedOnly: entries.some(isSubscribedOnly),
    conditions: entries
      .filter((entry) => !isSubscribedOnly(entry))
      .map(({ idField, operator, value }) => ({ key: nextKey(), idField, operator, value: value ?? '' })),
  };
}

/** The entries to save. */
export const entriesOf = ({ subscribedOnly, conditions }: FieldFilterDraft): Entry[] => [
  ...(subscribedOnly ? [{ idField: fieldIds.status, operator: 'Equal' as const, value: '0' }] : []),
  ...conditions.map(({ idField, operator, value }) => ({
    idField,
    operator,
    value: takes(operator) === 'none' ? null : value,
  })),
];
