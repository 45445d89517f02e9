import { type Static, type TObject, type TSchema, Type } from 'typebox';

const saying = (description: string | undefined) => (description === undefined ? {} : { description });

/** 32-bit identifier or count, as the document's `int32`. */
export const Int32 = (description?: string) =>
  Type.Integer({ title: 'Int32', minimum: -2147483648, maximum: 2147483647, ...saying(description) });
/** The kinds of records that requests name; `segmentPosition`, `email` and `directoryName` are no ids. */
export type RecordKind =
  | ('target' | 'campaign' | 'segment' | 'segmentPosition' | 'trackedLink' | 'thematic' | 'advertiser')
  | (
      | 'affiliation'
      | 'advertisement'
      | 'placement'
      | 'directory'
      | 'directoryName'
      | 'configuration'
      | 'picture'
    )
  | (
      | 'subscriber'
      | 'email'
      | 'field'
      | 'job'
      | 'sent'
      | 'singleMessage'
      | 'import'
      | 'export'
      | 'repository'
      | 'alert'
    )
  | (
      | 'site'
      | 'user'
      | 'passkey'
      | 'token'
      | 'route'
      | 'sendingDomain'
      | 'provider'
      | 'invoice'
      | 'mailboxMessage'
    );
/** Where a schema says whose id its value is, for `isolation.test.ts`; the reference does not show it. */
export const recordKeyword = 'x-record';
/** The schema of a value that names a record: an id with more meanings than `Id`, as text for example, or a name. */
export const IdOf = <T extends TSchema>(record: RecordKind, schema: T): T =>
  // All properties of the schema, including those of TypeBox that are not enumerable.
  Object.defineProperties({ [recordKeyword]: record }, Object.getOwnPropertyDescriptors(schema)) as never;
/** An identifier of a record. */
export const Id = (record: RecordKind, description?: string) =>
  IdOf(record, Type.Integer({ title: 'Int32', minimum: 1, maximum: 2147483647, ...saying(description) }));
/** A count or an offset: never negative. */
export const Count = (description?: string) =>
  Type.Integer({ title: 'Int32', minimum: 0, maximum: 2147483647, ...saying(description) });
export const Bool = (description?: string) => Type.Boolean({ title: 'Boolean', ...saying(description) });
/** ISO 8601 date-time with an offset. */
export const Timestamp = (description?: string) =>
  Type.String({ title: 'DateTime', format: 'date-time', ...saying(description) });
/** An instant of a reply: a handler gives a Date, which JSON shows as a `Timestamp`. */
export const Instant = (description?: string) => Type.Unsafe<Date>(Timestamp(description));
/** No control characters, no line ends. Patterns are such as Python, Java and JavaScript read alike. */
export const linePattern = '^[^\\x00-\\x1f\\x7f\\u2028\\u2029]*$';
/** No NUL. */
export const textPattern = '^[^\\x00]*$';
/** Where a schema requests well-formed Unicode, which no portable pattern can: validation acts on it. */
export const wellFormedKeyword = 'x-well-formed';
const wellFormed = { [wellFormedKeyword]: true };
/** One line of text: no control characters, so that it can be in a header or a log line; well-formed Unicode. */
export const Line = (maxLength: number, description?: string) =>
  Type.String({ title: 'String', maxLength, pattern: linePattern, ...wellFormed, ...saying(description) });
/** Free text or HTML. NUL and halves of surrogate pairs are refused because PostgreSQL cannot keep them. */
export const Text = (maxLength: number, description?: string) =>
  Type.String({ title: 'String', maxLength, pattern: textPattern, ...wellFormed, ...saying(description) });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** A member that may be omitted or be null. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));
/** Where the schema of a reference says what its 0 and its null mean; validation acts on it, generators may read it. */
export const referenceKeyword = 'x-reference';
/** Meanings of the values of a reference that name no record: `none`, or the same as if it were omitted. */
export interface ReferenceMeanings {
  readonly zero: 'none';
  readonly null: 'none' | 'left out';
}
const referenceOf = (record: RecordKind, meanings: ReferenceMeanings, said: string, description?: string) =>
  Type.Optional(
    Type.Union(
      [IdOf(record, Count(description === undefined ? said : `${description}; ${said}`)), Type.Null()],
      { [referenceKeyword]: meanings },
    ),
  );
/** A record's id in a body. 0 and null mean none: a handler gets null for both, undefined for an omitted one. */
export const Reference = (record: RecordKind, description?: string) =>
  referenceOf(record, { zero: 'none', null: 'none' }, '0 or null: none', description);
/** A reference in a merge: 0 means none, null changes nothing. A handler gets null for 0, undefined for null. */
export const MergedReference = (record: RecordKind, description?: string) =>
  referenceOf(record, { zero: 'none', null: 'left out' }, '0: none; null: as left out', description);
/** A member that only the service sets: what was read can be sent back, whatever is there. */
export const ReadOnly = () =>
  Type.Optional(Type.Unknown({ description: 'Read only: accepted and ignored', readOnly: true }));
/** A closed list of words. */
export const OneOf = <const T extends readonly string[]>(words: T, description?: string) =>
  // Said in full, or the words widen to `string | number` in the type.
  Type.Enum<[...T]>(words as readonly [...T], saying(description));
/** Where a schema of `Code` keeps what its integers mean, in the order of its `enum`; generators of clients read it. */
export const codeMeanings = 'x-enum-descriptions';
/**
 * An integer that stands for a meaning. The refusal of any other one and the reference name each with its meaning.
 * @param meanings by integer, ascending; a few words each.
 * @param description what they are said of, before the list of them.
 */
export const Code = (meanings: Readonly<Record<number, string>>, description: string) =>
  Type.Unsafe<number>({
    type: 'integer',
    title: 'Int32',
    enum: Object.keys(meanings).map(Number),
    [codeMeanings]: Object.values(meanings),
    description: `${description}: ${listOfCodes(Object.keys(meanings), Object.values(meanings))}`,
  });

/** `1 (hours) or 2 (days)`. */
export function listOfCodes(codes: readonly unknown[], meanings: readonly string[]): string {
  const named = codes.map((code, i) => `${code} (${meanings[i]})`);
  return named.length === 1 ? named[0]! : `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`;
}

/** An object that refuses members it does not know, by name. */
export const Closed = <T extends Record<string, TSchema>>(title: string, members: T) =>
  Type.Object(members, { title, additionalProperties: false });

/** A value with its members in the schema's order: PostgreSQL's jsonb keeps another. What is omitted stays so. */
export function inOrder<T extends object>(schema: TObject, value: T): T {
  const given = Object.keys(schema.properties).filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(given.map((name) => [name, value[name as keyof T]])) as T;
}

/** A page of a list: the document's paged result. */
export const Paged = <T extends TSchema>(item: T) =>
  Type.Object(
    { totalCount: Count(), count: Count(), items: Type.Array(item), start: Count() },
    { title: `Paged<${typeNameOf(item)}>`, additionalProperties: false },
  );

/** The paging members that list operations share; `sortBy` is each one's own. */
export const Paging = <const S extends readonly string[]>(sortBy: S) => ({
  'filter.start': Type.Optional(Count()),
  'filter.limit': Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 })),
  'filter.sortBy': OneOf(sortBy),
  'filter.order': OneOf(['ASC', 'DESC'] as const),
});

/** The order and the range of a list that the members of `Paging` request. */
export function pageRange<S extends string>(query: {
  readonly 'filter.start'?: number;
  readonly 'filter.limit'?: number;
  readonly 'filter.sortBy': S;
  readonly 'filter.order': 'ASC' | 'DESC';
}) {
  return {
    start: query['filter.start'] ?? 0,
    limit: query['filter.limit'] ?? 50,
    sortBy: query['filter.sortBy'],
    isDescending: query['filter.order'] === 'DESC',
  };
}

/** What `pageRange` returns. */
export type PageRange<S extends string> = ReturnType<typeof pageRange<S>>;

/** A page of a list, as `Paged` declares it. */
export const pageOf = <T>(items: T[], totalCount: number, start: number) => {
  return { totalCount, count: items.length, items, start };
};

/** Members of the query: an object whose unknown members are refused by name. */
export const Query = <T extends Record<string, TSchema>>(members: T): TObject<T> =>
  Type.Object(members, { additionalProperties: false });
/** Members of the path. */
export const Params = Query;

interface Named {
  readonly title?: string;
  readonly type?: string;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

/** The name of a schema in a `typeName`: `Subscriber[]`, `Paged<Target>`, `Boolean`. @throws Error without a name */
export function typeNameOf(schema: TSchema): string {
  const { title, type, items }: Named = schema;
  const branches = branchesOf(schema);
  if (branches.length === 1) return typeNameOf(branches[0]!);
  if (title && branches.length === 0) return title;
  if (type === 'array' && items) return `${typeNameOf(items)}[]`;
  throw new Error('A reply schema needs a title: it becomes the typeName of the envelope');
}

/** Every `typeName` that a reply of this schema can carry: several for a union. */
export function typeNamesOf(schema: TSchema): string[] {
  const branches = branchesOf(schema);
  return branches.length > 0 ? branches.map(typeNameOf) : [typeNameOf(schema)];
}

/** The `typeName` of data; unions are told apart by JSON type. @throws Error for branches of one JSON type */
export function typeNamer(schema: TSchema): (data: unknown) => string {
  const [first, ...others] = typeNamesOf(schema);
  if (others.length === 0) return () => first!;
  const names = new Map(branchesOf(schema).map((one) => [(one as Named).type, typeNameOf(one)]));
  if (names.size <= others.length) throw new Error('The branches of a reply need different JSON types');
  return (data) => names.get(Array.isArray(data) ? 'array' : typeof data) ?? first!;
}

function branchesOf(schema: TSchema): TSchema[] {
  const { anyOf = [] }: Named = schema;
  return anyOf.filter((one) => (one as Named).type !== 'null');
}

export { type Static, type TSchema, Type };
