import { Ajv, type ErrorObject, type FuncKeywordDefinition } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { FastifyValidationResult } from 'fastify/types/schema.js';
import type { TSchema } from 'typebox';
import { isWellFormed } from '../well-formed.ts';
import {
  codeMeanings,
  linePattern,
  listOfCodes,
  type ReferenceMeanings,
  referenceKeyword,
  textPattern,
  wellFormedKeyword,
} from './schema.ts';
import { textReader } from './text-reader.ts';

// ajv-formats is CommonJS: its callable sits on `default` under Node's interop.
const addFormats = formats.default;

/** Turns a reference's 0 into null and removes a meaningless null: handlers get an id, null for none, or nothing. */
const referenceRule: FuncKeywordDefinition = {
  keyword: referenceKeyword,
  modifying: true,
  errors: false,
  validate(meanings: ReferenceMeanings, data: unknown, _schema, context) {
    const { parentData, parentDataProperty } = context!;
    if (data === 0) parentData[parentDataProperty] = null;
    else if (data === null && meanings.null === 'left out') delete parentData[parentDataProperty];
    return true;
  },
};

const ajv = makeAjv();

function makeAjv(): Ajv {
  const made = new Ajv({
    allErrors: false,
    strict: false,
    removeAdditional: false,
    useDefaults: true,
    coerceTypes: false,
    // Errors carry their schema and their data: `explain` says more with them.
    verbose: true,
  });
  addFormats(made);
  // A leap second (23:59:60) is a date-time in RFC 3339, but no instant that JavaScript or PostgreSQL's driver can
  // hold.
  // The type of `get` covers formats of every form; this one is an object with a function.
  const dateTime = addFormats.get('date-time') as { readonly validate: (text: string) => boolean };
  made.addFormat('date-time', (text) => dateTime.validate(text) && !Number.isNaN(Date.parse(text)));
  return made.addKeyword(referenceRule).addKeyword({
    keyword: wellFormedKeyword,
    type: 'string',
    // NUL, which it also reports, is the pattern's.
    validate: (_schema: true, text: string) => isWellFormed(text),
    errors: false,
  });
}

/**
 * For Fastify: in bodies types must be right as they are, everything else is read from text. A schema is compiled when
 * it is first used: all of them take 0.4 s of the start and 4 MB, and most sites use few operations.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const read = httpPart === 'body' ? undefined : textReader(schema);
  const validate: FastifyValidationResult = (values: Record<string, unknown>) => {
    read?.(values);
    // `compile` keeps what it compiled by the schema's identity.
    const check = ajv.compile(schema);
    const isValid = check(values);
    validate.errors = check.errors ?? null;
    return isValid;
  };
  return validate;
};

/** Checks a reply against its schema; the text of the first breach, or undefined. */
export const replyBreach = (schema: object, data: unknown): string | undefined =>
  breachOf(schema, data, 'reply');

/** Checks data called `part`, with defaults and references filled in. For schemas as old as the program only. */
export function breachOf(schema: object, data: unknown, part: string): string | undefined {
  const check = ajv.compile(schema);
  return check(data) ? undefined : explain(check.errors ?? [], part);
}

/** One sentence that names the member and the rule that it breaks. */
export function explain(errors: readonly ErrorObject[], part: string): string {
  const error = mostTelling(errors);
  if (!error) return `${part} is invalid`;
  const path = memberPath(error.instancePath);
  const member = path === '' ? part : path;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties':
      return `${join(path, String(params.additionalProperty))}: unknown member`;
    case 'required':
      return `${join(path, String(params.missingProperty))}: is required${unknownBeside(error)}`;
    case 'enum':
      return `${member}: ${meaningsOf(error) ?? `must be one of ${wordsOf(params.allowedValues)}`}`;
    case 'const':
      return `${member}: must be ${JSON.stringify(params.allowedValue)}`;
    case 'format':
      return `${member}: ${formatRule(String(params.format), error.data)}`;
    case wellFormedKeyword:
      return `${member}: holds characters that are not allowed (half a surrogate pair)`;
    case 'pattern':
      return `${member}: ${patternRule(error)}`;
    case 'type':
      return `${member}: ${meaningsOf(error) ?? `must be ${article(params.type)}`}`;
    case 'minimum':
      return `${member}: must be at least ${params.limit}`;
    case 'maximum':
      return `${member}: must be at most ${params.limit}`;
    case 'minLength':
      return `${member}: ${lengthRule('least', params.limit, 'character')}`;
    case 'maxLength':
      return `${member}: ${lengthRule('most', params.limit, 'character')}`;
    case 'minItems':
      return `${member}: ${lengthRule('least', params.limit, 'item')}`;
    case 'maxItems':
      return `${member}: ${lengthRule('most', params.limit, 'item')}`;
    default:
      return `${member}: ${error.message ?? 'is invalid'}`;
  }
}

function lengthRule(bound: 'least' | 'most', limit: unknown, thing: string): string {
  return `must have at ${bound} ${limit} ${thing}${limit === 1 ? '' : 's'}`;
}

/** The words of a closed list; an empty one could not be seen. */
function wordsOf(allowed: unknown): string {
  return (allowed as unknown[]).map((word) => (word === '' ? "''" : String(word))).join(', ');
}

/** The integers that a `Code` has, with their meanings; undefined for every other schema. */
function meaningsOf({ parentSchema }: ErrorObject): string | undefined {
  const { enum: codes, [codeMeanings]: meanings } = (parentSchema ?? {}) as Record<string, unknown>;
  if (!Array.isArray(codes) || !Array.isArray(meanings)) return undefined;
  return `must be ${listOfCodes(codes, meanings)}`;
}

const dateTimeExample = '2026-12-24T08:30:00+01:00, or 2026-12-24T07:30:00Z';
const wallTime = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?`;
/** Near misses of a date-time, and what each lacks. */
const nearDateTimes: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(`^${wallTime}$`, 'i'),
    `has no offset from UTC, so that it could be several instants; as ${dateTimeExample}`,
  ],
  // A + that is in an address as it is means a space.
  [
    new RegExp(`^${wallTime} \\d\\d:?\\d\\d$`, 'i'),
    'has a space before its offset from UTC; the + of an offset is written %2B in an address',
  ],
  [new RegExp(`^${wallTime}(?:Z|[+-]\\d\\d:\\d\\d)$`, 'i'), 'is no date and time of the calendar'],
];

function formatRule(format: string, data: unknown): string {
  if (format !== 'date-time') return `must be an ISO 8601 ${format}`;
  const near = nearDateTimes.find(([form]) => typeof data === 'string' && form.test(data));
  return near
    ? near[1]
    : `must be an ISO 8601 date-time with an offset from UTC, for example ${dateTimeExample}`;
}

function patternRule({ params, parentSchema }: ErrorObject): string {
  const { pattern } = params as { pattern: string };
  if (pattern === linePattern)
    return 'holds characters that are not allowed (control characters or line ends)';
  if (pattern === textPattern) return 'holds characters that are not allowed (NUL or half a surrogate pair)';
  const description: unknown = parentSchema?.description;
  return typeof description === 'string' ? `must be ${description}` : `must match ${pattern}`;
}

/** Names and their length that a message repeats from a request, at most. */
const maxNamed = 5;
const maxNameLength = 50;

/** Names the unknown properties beside a missing required one, because one of them may be its misspelling. */
function unknownBeside({ data, parentSchema }: ErrorObject): string {
  const { additionalProperties, properties } = (parentSchema ?? {}) as Record<
    string,
    object | false | undefined
  >;
  if (additionalProperties !== false || typeof data !== 'object' || data === null) return '';
  const unknown = Object.keys(data).filter((name) => !Object.hasOwn(properties || {}, name));
  if (unknown.length === 0) return '';
  const named = unknown.slice(0, maxNamed).map((name) => name.slice(0, maxNameLength));
  const more = unknown.length > maxNamed ? `, … (${unknown.length})` : '';
  return ` (unknown ${unknown.length === 1 ? 'member' : 'members'}: ${named.join(', ')}${more})`;
}

function article(type: unknown): string {
  const words = [type].flat().map(String);
  const named = (word: string) => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
  return words.map((word) => (word === 'null' ? word : named(word))).join(' or ');
}

/** Picks the most useful error of a union: the one about the deepest property, and never “must be null”. */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const told = errors.filter(
    (error) => !(error.keyword === 'type' && error.params.type === 'null') && error.keyword !== 'anyOf',
  );
  return [...told].sort((a, b) => b.instancePath.length - a.instancePath.length)[0] ?? errors[0];
}

/** `/fields/0/value` as `fields[0].value`. */
function memberPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(path: string, member: string): string {
  return path === '' ? member : `${path}.${member}`;
}
