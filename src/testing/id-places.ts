import type { Operation } from '../platform/http/operation.ts';
import {
  type RecordKind,
  type ReferenceMeanings,
  recordKeyword,
  referenceKeyword,
} from '../platform/http/schema.ts';

/** The input of a call, as the operation declares it. */
export interface Call {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Where a value is in a call: `params.idTarget`, `query.filter.idFields[]`, `body[].fields[].idField`. */
export type Place = string;

export interface SchemaNode {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly readOnly?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly [referenceKeyword]?: ReferenceMeanings;
  readonly [recordKeyword]?: RecordKind;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

/** Where an operation takes the name of a record, mostly its id. */
export interface RecordPlace {
  readonly place: Place;
  readonly record: RecordKind;
  /** The value is text, even where the record has a number. */
  readonly isText: boolean;
}

/** Every place where an operation declares that it names a record. */
export function recordPlaces(operation: Operation): RecordPlace[] {
  return nodesOf(operation).flatMap(([place, { type, [recordKeyword]: record }]) =>
    record ? [{ place, record, isText: type === 'string' }] : [],
  );
}

/** Every place where an operation takes anything at all but an object or a list of known members. */
export function allPlaces(operation: Operation): Place[] {
  return leavesOf(operation).map(([place]) => place);
}

/** Places whose name says that they are ids, and that do not declare of which record. */
export function undeclaredIds(operation: Operation): Place[] {
  const isNamedId = (place: Place) =>
    /(^|\.)ids?($|[A-Z_])|[a-z]Ids?($|[A-Z])/.test(place.replaceAll('[]', ''));
  return leavesOf(operation).flatMap(([place, node]) =>
    isNamedId(place) && !node[recordKeyword] && !node.enum && !node.readOnly ? [place] : [],
  );
}

/** Everything in the schemas of an operation's input, outer before inner, with its place. */
function nodesOf({ params, query, body }: Operation): [Place, SchemaNode][] {
  const nodesIn = (node: SchemaNode, place: Place): [Place, SchemaNode][] => [
    [place, node],
    ...Object.entries(node.properties ?? {}).flatMap(([name, one]) => nodesIn(one, `${place}.${name}`)),
    ...(node.items ? nodesIn(node.items, `${place}[]`) : []),
    ...(node.anyOf ?? []).flatMap((one) => nodesIn(one, place)),
  ];
  return Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema ? nodesIn(schema as SchemaNode, part) : [],
  );
}

/** One node for each place that takes a value, the last of its alternatives. */
function leavesOf(operation: Operation): [Place, SchemaNode][] {
  const leaves = nodesOf(operation).filter(
    ([, { type, properties, items, anyOf }]) => type !== 'null' && !properties && !items && !anyOf,
  );
  return [...new Map(leaves)];
}

/** Returns a call with another value at a place; a list there holds nothing else. */
export function withValue(call: Call, place: Place, value: unknown): Call {
  const [part, names] = stepsTo(place);
  return { ...call, [part]: put(call[part], names, value) };
}

/** Whether a call has a value at a place. */
export function hasPlace(call: Call, place: Place): boolean {
  const [part, names] = stepsTo(place);
  const at = (value: unknown, step: string) =>
    (value as Record<string, unknown> | null | undefined)?.[step === '[]' ? '0' : step];
  return names.reduce<unknown>(at, call[part]) !== undefined;
}

function stepsTo(place: Place): [part: keyof Call, names: string[]] {
  const [, part = '', rest = ''] = /^(params|query|body)(.*)$/.exec(place) ?? [];
  // In a query a name may hold dots: it is one step.
  const steps = part === 'body' ? rest.split(/\.|(?=\[\])/) : rest.slice(1).split(/(?=\[\])/);
  return [part as keyof Call, steps.filter((step) => step !== '')];
}

function put(into: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '[]') return [put((into as unknown[] | undefined)?.[0], rest, value)];
  const object = (into ?? {}) as Record<string, unknown>;
  return { ...object, [step]: put(object[step], rest, value) };
}
