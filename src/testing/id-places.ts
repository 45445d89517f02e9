import type { Operation } from '../platform/http/operation.ts';
import { type ReferenceMeanings, referenceKeyword } from '../platform/http/schema.ts';
import type { Call } from './isolation-matrix.ts';

/** Where a value is in a call: `params.idTarget`, `query.filter.idFields[]`, `body[].fields[].idField`. */
export type Place = string;

interface Node {
  readonly type?: string;
  readonly readOnly?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly [referenceKeyword]?: ReferenceMeanings;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

/**
 * Where an operation takes whole numbers, but for those whose name says that they are no ids. Text counts too when
 * its name says that it is one.
 */
export function idPlaces(operation: Operation, notIds: ReadonlySet<string>): Place[] {
  const parts = { params: operation.params, query: operation.query, body: operation.body };
  const places = Object.entries(parts).flatMap(([part, schema]) =>
    schema ? numbersIn(schema as Node, part) : [],
  );
  return [...new Set(places)].filter((place) => !notIds.has(lastNameOf(place)));
}

/** Every place where an operation takes anything at all but an object or a list of known members. */
export function allPlaces(operation: Operation): Place[] {
  const parts = { params: operation.params, query: operation.query, body: operation.body };
  const places = Object.entries(parts).flatMap(([part, schema]) =>
    schema ? leavesIn(schema as Node, part) : [],
  );
  return [...new Set(places)];
}

/**
 * Where an operation takes the id of a record that need not be named: whole numbers whose name says that they are
 * ids, and that may be omitted or be null.
 */
export function optionalReferences(operation: Operation): OptionalReference[] {
  const parts = { query: operation.query, body: operation.body };
  return Object.entries(parts).flatMap(([part, schema]) => (schema ? optionalIn(schema as Node, part) : []));
}

export interface OptionalReference {
  readonly place: Place;
  /** Is it declared as a `Reference`? */
  readonly isDeclared: boolean;
  /** The least number that its schema takes. */
  readonly least: number | undefined;
}

function optionalIn(node: Node, place: Place): OptionalReference[] {
  const members = Object.entries(node.properties ?? {}).flatMap(([name, one]) => {
    const inside = optionalIn(one, `${place}.${name}`);
    const { branches, isNullable } = branchesOf(one);
    const number = branches.find(({ type, enum: codes }) => type === 'integer' && !codes);
    const isOptional = isNullable || !node.required?.includes(name);
    if (!isOptional || !number || !/(^|\.)id[A-Z]|Id([A-Z]|$)/.test(name)) return inside;
    return [
      { place: `${place}.${name}`, isDeclared: referenceKeyword in one, least: number.minimum },
      ...inside,
    ];
  });
  return [
    ...members,
    ...(node.items ? optionalIn(node.items, `${place}[]`) : []),
    ...(node.anyOf ?? []).flatMap((one) => optionalIn(one, place)),
  ];
}

function branchesOf(node: Node): { branches: readonly Node[]; isNullable: boolean } {
  const all = node.anyOf ?? [node];
  const branches = all.filter(({ type }) => type !== 'null');
  return { branches, isNullable: branches.length < all.length };
}

function leavesIn(node: Node, place: Place): Place[] {
  const inside = [
    ...Object.entries(node.properties ?? {}).flatMap(([name, one]) => leavesIn(one, `${place}.${name}`)),
    ...(node.items ? leavesIn(node.items, `${place}[]`) : []),
    ...(node.anyOf ?? []).flatMap((one) => leavesIn(one, place)),
  ];
  return inside.length > 0 || node.properties ? inside : [place];
}

function numbersIn(node: Node, place: Place): Place[] {
  if (node.readOnly) return [];
  if (node.type === 'integer' || node.type === 'number') return [place];
  if (node.type === 'string' && /(^id|Id|\bids?$|location$)/.test(lastNameOf(place))) return [place];
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([name, one]) => numbersIn(one, `${place}.${name}`)),
    ...(node.items ? numbersIn(node.items, `${place}[]`) : []),
    ...(node.anyOf ?? []).flatMap((one) => numbersIn(one, place)),
  ];
}

/** The name of a member; names in a query hold dots themselves. */
function lastNameOf(place: Place): string {
  const path = place.replaceAll('[]', '');
  return path.startsWith('query.') ? path.slice('query.'.length) : path.slice(path.lastIndexOf('.') + 1);
}

/** The same call with another value at a place; a list there holds nothing else. */
export function withValue(call: Call, place: Place, value: unknown): Call {
  const [, part = '', rest = ''] = /^(params|query|body)(.*)$/.exec(place) ?? [];
  // In a query a name may hold dots: it is one step.
  const steps = part === 'body' ? rest.split(/\.|(?=\[\])/) : rest.slice(1).split(/(?=\[\])/);
  const names = steps.filter((step) => step !== '');
  return { ...call, [part]: put(call[part as keyof Call], names, value) };
}

function put(into: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '[]') return [put((into as unknown[] | undefined)?.[0], rest, value)];
  const object = (into ?? {}) as Record<string, unknown>;
  return { ...object, [step]: put(object[step], rest, value) };
}
