import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type DocumentMember, readDocument } from './testing/document.ts';

/** The part of a JSON schema that the walk reads. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}
interface Declared {
  readonly operationId: string;
  readonly parameters?: readonly { $ref?: string; name: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, { content: Readonly<Record<string, { schema: Schema }>> }>>;
}

const reference = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const { operations, records } = readDocument();

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : resolved(
        schema.$ref
          .split('/')
          .slice(1)
          .reduce((at, name) => at[name], reference),
      );

/** Every object that a value of this schema can be or hold in arrays. */
function objectsOf(schema: Schema): Schema[] {
  const own = resolved(schema);
  if (own.anyOf) return own.anyOf.flatMap(objectsOf);
  if (own.items) return objectsOf(own.items);
  return own.properties ? [own] : [];
}

/** The values that a schema names; undefined when it takes others too. */
function valuesOf(schema: Schema): unknown[] | undefined {
  const own = resolved(schema);
  if (own.const !== undefined) return [own.const];
  if (own.enum) return [...own.enum];
  if (own.items) return valuesOf(own.items);
  const all = own.anyOf?.map(valuesOf);
  return all?.flatMap((some) => some ?? []);
}

/** Lists what a schema lacks of one of the document's members, in words. */
function memberGaps(where: string, member: DocumentMember, schema: Schema): string[] {
  const values = member.values.length > 0 ? (valuesOf(schema) ?? []) : [];
  const unknown = values.length > 0 ? member.values.filter((value) => !values.includes(value)) : [];
  return [
    ...unknown.map((value) => `${where}: does not know ${value}`),
    ...(member.record === '' ? [] : recordGaps(where, member.record, schema)),
  ];
}

/** Lists what a schema lacks of one of the document's records: each member is in one of its objects. */
function recordGaps(where: string, record: string, schema: Schema): string[] {
  const objects = objectsOf(schema);
  if (objects.length === 0) return [`${where}: holds no object, ${record} is expected`];
  return records.get(record)!.flatMap((member) => {
    const holding = objects.filter(({ properties }) => properties?.[member.name]);
    const path = `${where}.${member.name}`;
    if (holding.length === 0) return [`${path}: is not declared`];
    const isLax = member.isRequired && holding.every(({ required }) => !required?.includes(member.name));
    return [
      ...(isLax ? [`${path}: may be left out`] : []),
      ...holding.flatMap(({ properties }) => memberGaps(path, member, properties![member.name]!)),
    ];
  });
}

const declared = (method: string, path: string): Declared | undefined =>
  reference.paths[`/v1/{idsite}${path}`]?.[method.toLowerCase()];

describe('every name of the document', () => {
  it('has 127 operations', () => expect(operations).toHaveLength(127));

  it.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
    const own = declared(operation.method, operation.path);
    expect(own?.operationId, `${operation.method} ${operation.path}`).toBe(id);
    const given = (own!.parameters ?? []).map((one) => ('$ref' in one ? resolved(one as Schema) : one));
    const parameters = operation.parameters.flatMap((member) => {
      const found = given.find((one) => (one as { name?: string }).name === member.name);
      if (!found) return [`${member.name}: is not declared`];
      const { required, schema } = found as { required?: boolean; schema: Schema };
      const isLax = member.isRequired && required !== true;
      return [
        ...(isLax ? [`${member.name}: may be left out`] : []),
        ...memberGaps(member.name, member, schema),
      ];
    });
    const body = own!.requestBody?.content['application/json']?.schema;
    const data = own!.responses['200']!.content['application/json']!.schema.properties!.data!;
    const items = operation.isPaged ? objectsOf(data)[0]!.properties!.items! : data;
    expect([
      ...parameters,
      ...(operation.body && !body ? ['body: is not declared'] : []),
      ...(operation.body && body ? memberGaps('body', operation.body, body) : []),
      ...(records.has(operation.reply) ? recordGaps('data', operation.reply, items) : []),
    ]).toEqual([]);
  });

  it('uses every record that it has', () => {
    const used = new Set([
      ...operations.flatMap(({ body, reply }) => [body?.record, reply]),
      ...[...records.values()].flat().map(({ record }) => record),
    ]);
    expect([...records.keys()].filter((name) => !used.has(name))).toEqual([]);
  });
});
