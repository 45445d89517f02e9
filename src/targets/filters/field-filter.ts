import { escapeUTF8 } from 'entities';
import { columnOf, type Field } from '../../fields/field.ts';
import { type FieldOperatorName, operatorNames, operatorOf } from '../../fields/field-operator.ts';
import { checkOperator, OperandError, readOperand } from '../../fields/operand.ts';
import type { Language } from '../../fields/period.ts';
import { join, type Sql, sql } from '../../platform/db/sql.ts';
import { largeBodyMegabytes } from '../../platform/http/operation.ts';
import { conflict, invalid, Refusal } from '../../platform/http/refusal.ts';
import { Closed, Count, IdOf, Maybe, OneOf, type Static, Text, Type } from '../../platform/http/schema.ts';
import { parisDayOf, parisZone, startOfParisDay } from '../../platform/paris-time.ts';
import { fieldInWords } from './field-words.ts';
import { type FilterSite, filterKind } from './filter-kind.ts';
import { daysInWords } from './time-window.ts';
import { folded, instant, type Order, type ValueType, valueTypes } from './value-type.ts';

const maxEntries = 100;
/** Maximum number of dates in one filter: each takes about 50 µs to read, which blocks the process. */
const maxDates = 10_000;

const operatorText =
  'For all fields: HasValue, HasNoValue, Equal, NotEqual, In, NotIn. For Text, Integer and Date: Greater, ' +
  'GreaterOrEqual, Less, LessOrEqual, Between. For Text: Contains, NotContains, StartsWith, EndsWith. For Date: ' +
  'LastDays, NextDays, BeforeDaysAgo, Anniversary (the current day and month). NotEqual, NotIn and NotContains also ' +
  'select empty fields';
const valueText =
  'Always text. HasValue, HasNoValue, Anniversary: null. Between: `a;b`. In, NotIn: `a;b;c`. LastDays, NextDays, ' +
  'BeforeDaysAgo: a number of days. Others: one value. A Date is written yyyy-MM-dd or yyyy-MM-ddTHH:mm[:ss], ' +
  'Paris time; a Boolean true, false, 1 or 0; a List by its key. Text is compared ignoring case and accents';

const Entry = Closed('FieldFilterEntry', {
  idField: IdOf(
    'field',
    Count('A system field, as 7 (0 subscribed, 1 unsubscribed), or one of the site from 101'),
  ),
  // OneOf loses the type of a computed list of names.
  operator: Type.Unsafe<FieldOperatorName>(OneOf(operatorNames, operatorText)),
  value: Maybe(Text(200_000, valueText)),
});
type Entry = Static<typeof Entry>;

/** Conditions on the values of fields, all of which must hold. */
export const fieldFilter = filterKind({
  kind: 'field',
  title: 'FieldFilter',
  heading: { fr: 'Filtre sur les champs', en: 'Fields' },
  members: {
    filters: Maybe(
      Type.Array(Entry, {
        maxItems: maxEntries,
        description:
          'All of them must hold; null without any. Fields of type Date are compared with at most ' +
          `${maxDates} values in total`,
      }),
    ),
  },
  enabledMember: 'isEnabled',
  flag: 'hasFieldFilter',
  bodyMegabytes: largeBodyMegabytes,
  example: {
    filters: [
      { idField: 7, operator: 'Equal', value: '0' },
      { idField: 2, operator: 'LastDays', value: '365' },
    ],
  },

  parse({ filters }, site) {
    if (!filters?.length) return undefined;
    if (countDates(filters, site) > maxDates)
      throw invalid(`filters: fields of type Date are compared with at most ${maxDates} values in total`);
    return { filters: filters.map((entry, i) => parseEntry(entry, `filters[${i}]`, site)) };
  },

  compile({ filters }, site) {
    // Fields may have become dates since it was set.
    if (countDates(filters ?? [], site) > maxDates)
      throw conflict(
        `A field filter compares fields of type Date with more than ${maxDates} values; ` +
          'correct the filter and set it again',
      );
    const conditions = (filters ?? []).map((entry) => compileEntry(entry, site));
    return sql`(${join(conditions, ' and ')})`;
  },

  describe({ filters }, site, language) {
    const items = (filters ?? []).map((entry) => `<li>${describeEntry(entry, site, language)}</li>`);
    return `<ul>${items.join('')}</ul>`;
  },
});

/** The values that entries compare fields of type Date with. */
function countDates(entries: readonly Entry[], { fields }: FilterSite): number {
  const dates = entries.filter(({ idField }) => fields.get(idField)?.fieldType === 'Date');
  return dates.reduce((sum, { value }) => sum + (value ?? '').split(';').length, 0);
}

function parseEntry(entry: Entry, at: string, site: FilterSite): Entry {
  const field = site.fields.get(entry.idField);
  if (!field) throw invalid(`${at}.idField: there is no field ${entry.idField}`);
  const { operator } = entry;
  try {
    checkOperator(operator, field);
    return { idField: field.id, operator, value: readOperand(operator, entry.value ?? '', field) };
  } catch (error) {
    if (!(error instanceof OperandError)) throw error;
    throw invalid(`${at}.${error.part}: ${error.message}`);
  }
}

interface Condition {
  readonly field: Field;
  readonly column: Sql;
  readonly type: ValueType;
  readonly value: string;
  readonly site: FilterSite;
}

type Compiler = (condition: Condition) => Sql;

const ordered =
  (order: Order): Compiler =>
  ({ field, type, value }) =>
    type.compare(field, order, value);
const unless =
  (compiler: Compiler): Compiler =>
  (condition) =>
    // Null, which is an empty field, is "not true" as well.
    sql`(${compiler(condition)}) is not true`;
const isIn: Compiler = ({ field, type, value }) => type.among(field, value.split(';'));
// No LIKE: folding can make `%` and `_` of other characters (full-width ones), after any escaping.
const contains: Compiler = ({ column, value }) => sql`strpos(${folded(column)}, ${folded(value)}) > 0`;

const compilers: Readonly<Record<FieldOperatorName, Compiler>> = {
  // An empty text is kept as null (fields/field-value.ts), so null is the only empty value.
  HasValue: ({ column }) => sql`${column} is not null`,
  HasNoValue: ({ column }) => sql`${column} is null`,
  Equal: ordered('='),
  NotEqual: unless(ordered('=')),
  Greater: ordered('>'),
  GreaterOrEqual: ordered('>='),
  Less: ordered('<'),
  LessOrEqual: ordered('<='),
  Between: ({ field, type, value }) => {
    const [first = '', second = ''] = value.split(';');
    return sql`(${type.compare(field, '>=', first)} and ${type.compare(field, '<=', second)})`;
  },
  In: isIn,
  NotIn: unless(isIn),
  Contains: contains,
  NotContains: unless(contains),
  StartsWith: ({ column, value }) => sql`starts_with(${folded(column)}, ${folded(value)})`,
  EndsWith: ({ column, value }) => {
    const [text, end] = [folded(column), folded(value)];
    return sql`right(${text}, length(${end})) = ${end}`;
  },
  LastDays: ({ column, value, site }) =>
    sql`(${column} >= ${dayFromToday(site, -Number(value))} and ${column} < ${dayFromToday(site, 1)})`,
  NextDays: ({ column, value, site }) =>
    sql`(${column} >= ${dayFromToday(site, 0)} and ${column} < ${dayFromToday(site, Number(value) + 1)})`,
  BeforeDaysAgo: ({ column, value, site }) => sql`${column} < ${dayFromToday(site, -Number(value))}`,
  Anniversary: ({ column, site }) => {
    // The first day itself is not an anniversary, hence the second condition.
    const day = sql`to_char(${column} at time zone ${parisZone}::text, 'MMDD')`;
    return sql`(${day} = any(${anniversaries(site)}::text[]) and ${column} < ${dayFromToday(site, 0)})`;
  },
};

/** The start of the Paris day that is `days` days after today. */
function dayFromToday({ now }: FilterSite, days: number): Sql {
  return instant(startOfParisDay(parisDayOf(now).add({ days })));
}

/** Months and days whose anniversary is today; in a common year, 29 February counts on the 28th. */
function anniversaries({ now }: FilterSite): string[] {
  const today = parisDayOf(now);
  const monthDay = today.toString().slice(5).replace('-', '');
  return monthDay === '0228' && !today.inLeapYear ? ['0228', '0229'] : [monthDay];
}

function compileEntry(kept: Entry, site: FilterSite): Sql {
  const { idField, operator, value } = stillFitting(kept, site);
  const field = site.fields.get(idField)!;
  const type = valueTypes[field.fieldType];
  return compilers[operator]({ field, column: columnOf(field), type, value: value ?? '', site });
}

/** Parses a stored entry again: its field may have changed its type or list since. */
function stillFitting(kept: Entry, site: FilterSite): Entry {
  try {
    return parseEntry(kept, 'filters', site);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw conflict(
      `A field filter compares field ${kept.idField} by ${kept.operator}, which its type or list no longer allows; ` +
        'correct the filter and set it again',
    );
  }
}

const entryWords = {
  fr: { gone: (id: number) => `Le champ ${id} n’existe plus`, and: ' et ', values: 'valeurs' },
  en: { gone: (id: number) => `Field ${id} no longer exists`, and: ' and ', values: 'values' },
} as const;

const dayOperators: Partial<Readonly<Record<FieldOperatorName, 'last' | 'next' | 'before'>>> = {
  LastDays: 'last',
  NextDays: 'next',
  BeforeDaysAgo: 'before',
};

function describeEntry({ idField, operator, value }: Entry, site: FilterSite, language: Language): string {
  const words = entryWords[language];
  const field = site.fields.get(idField);
  if (!field) return words.gone(idField);
  const { takes, words: usual, wordsOfDate } = operatorOf(operator);
  const days = dayOperators[operator];
  const show = (one: string) =>
    days
      ? daysInWords(Number(one), days, language)
      : `<b>${escapeUTF8(valueTypes[field.fieldType].inWords(one, field, language))}</b>`;
  const values = takes === 'two' || takes === 'many' ? (value ?? '').split(';') : [value ?? ''];
  const shown = takes === 'many' && values.length > 20 ? values.slice(0, 20) : values;
  const more = values.length > shown.length ? `, … (${values.length} ${words.values})` : '';
  const sentence = ((field.fieldType === 'Date' && wordsOfDate) || usual)[language];
  const listed = shown.map(show).join(takes === 'two' ? words.and : ', ') + more;
  // A function, so that `$&` in a value is no pattern.
  return `${fieldInWords(field, language)} ${sentence.replace('%', () => listed)}`;
}
