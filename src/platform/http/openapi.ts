import type { TSchema } from 'typebox';
import { introduction } from './introduction.ts';
import type { Operation } from './operation.ts';
import { ownReplies, sharedReplies } from './replies.ts';
import { linePattern, textPattern, typeNamesOf } from './schema.ts';

type Json = Record<string, unknown>;

const errorTexts: Record<number, string> = {
  400: 'Malformed or invalid input; the error names the member and the rule',
  401: 'No valid bearer token',
  403: 'The token lacks the right',
  404: 'Unknown site or record, or a site that the token may not see',
  409: 'A state or another record stands against it',
  413: 'Larger than the operation takes',
  422: 'A rule of the domain refuses it',
  429: 'Too many requests',
  503: 'The database, or something else that Facteur depends on, is away, too slow or too busy; try again',
};

/** The OpenAPI 3.1 document of these operations, made from the declarations that also validate. */
export function openApiDocument(operations: readonly Operation[], version: string): Json {
  const schemas: Record<string, Json> = { Failure: failureSchema() };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const prefix = operation.scope === 'site' ? '/v1/{idsite}' : '/admin/v1';
    const path = `${prefix}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Facteur',
      version,
      summary: 'Email marketing over HTTP: subscribers, targets, campaigns, sending, statistics',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: sectionsOf(operations).map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token alone, without the word Bearer' },
      },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** The tags of the operations in their order, but what is for one site before the administration of all. */
function sectionsOf(operations: readonly Operation[]): string[] {
  const ofScope = (wanted: Operation['scope']) => operations.filter(({ scope }) => scope === wanted);
  return [...new Set([...ofScope('site'), ...ofScope('admin')].map(({ tag }) => tag))];
}

function describe(operation: Operation, schemas: Record<string, Json>): Json {
  const site = {
    name: 'idsite',
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: 'The site',
    example: 'demo',
  };
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, `Needs the right \`${operation.right}\`.`]
      .filter(Boolean)
      .join('\n\n'),
    ...(operation.deprecated && { deprecated: true }),
    parameters: [
      ...(operation.scope === 'site' ? [site] : []),
      ...parameters(operation.params, 'path', schemas),
      ...parameters(operation.query, 'query', schemas),
    ],
    ...(operation.body && {
      requestBody: {
        required: !takesNull(operation.body),
        content: {
          'application/json': {
            schema: place(operation.body, schemas),
            ...(operation.example !== undefined && { example: operation.example }),
          },
        },
      },
    }),
    responses: responses(operation, schemas),
  };
}

function responses(operation: Operation, schemas: Record<string, Json>): Json {
  const replies = [...sharedReplies(operation), ...ownReplies(operation)];
  const failures = [...new Set(replies)].filter((status) => status !== 200).sort();
  const failure = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } };
  return {
    200: { description: 'Success', content: { 'application/json': { schema: success(operation, schemas) } } },
    ...Object.fromEntries(
      failures.map((status) => [status, { description: errorTexts[status], content: failure }]),
    ),
  };
}

/** A call without a body has the body null. */
const takesNull = (body: TSchema): boolean => {
  const { type, anyOf = [] } = body as { readonly type?: string; readonly anyOf?: readonly TSchema[] };
  return type === 'null' || anyOf.some(takesNull);
};

function success(operation: Operation, schemas: Record<string, Json>): Json {
  return {
    type: 'object',
    required: ['success', 'data', 'error', 'typeName'],
    properties: {
      success: { const: true },
      data: place(operation.reply, schemas),
      error: { type: 'null' },
      typeName: oneOfThese(typeNamesOf(operation.reply)),
    },
  };
}

const oneOfThese = (words: readonly string[]): Json =>
  words.length === 1 ? { const: words[0] } : { enum: words };

function failureSchema(): Json {
  return {
    type: 'object',
    required: ['success', 'data', 'error', 'typeName'],
    properties: {
      success: { const: false },
      data: { description: 'null, or the work that was done before the failure where an operation says so' },
      error: { type: 'string' },
      typeName: { type: 'null' },
    },
  };
}

function parameters(
  schema: TSchema | undefined,
  where: 'path' | 'query',
  schemas: Record<string, Json>,
): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, member]) => {
    const isRequired = where === 'path' || required.includes(name);
    const placed = described(place(member, schemas) as Json);
    // The reference fills in a parameter's own example only; whoever tries an operation is to fill in nothing else.
    const [example] = isRequired ? (((placed.schema as Json).examples ?? []) as unknown[]) : [];
    return { name, in: where, required: isRequired, ...placed, ...(example !== undefined && { example }) };
  });
}

/**
 * The schema with every titled object moved to the components and referred to.
 * @throws Error when two different objects carry one title.
 */
function place(schema: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => place(one, schemas));
  if (schema === null || typeof schema !== 'object') return schema;
  const placed: Json = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, place(value, schemas)]),
  );
  if (Array.isArray(placed.anyOf)) return liftDescription(placed, placed.anyOf as Json[]);
  if (placed.type !== 'object' || typeof placed.title !== 'string') return withExample(placed);
  // Component names may not hold angle brackets: Paged<Target> is found as Paged.Target.
  const name = placed.title.replaceAll('<', '.').replaceAll(/[>[\]]/g, '');
  const known = schemas[name];
  if (known && JSON.stringify(known) !== JSON.stringify(placed)) {
    throw new Error(`Two different schemas carry the title ${name}`);
  }
  schemas[name] = placed;
  return { $ref: `#/components/schemas/${name}` };
}

/** A parameter's description stands beside its schema. */
function described({ description, ...schema }: Json): Json {
  return { ...(description !== undefined && { description }), schema };
}

/** What may be null as well is described once, where a reader sees it without unfolding. */
function liftDescription(union: Json, branches: readonly Json[]): Json {
  const [first, second] = branches;
  if (branches.length !== 2 || second?.type !== 'null' || first?.description === undefined) return union;
  const { description, ...rest } = first;
  return { description, ...union, anyOf: [rest, second] };
}

/**
 * Without an example the reference makes one from a pattern or from the limits of 32 bits, which nobody would send.
 * Patterns of their own bring their own example; for the two of free text any word does.
 */
function withExample(schema: Json): Json {
  if (schema.examples !== undefined || schema.default !== undefined) return schema;
  if (schema.type === 'string' && (schema.pattern === linePattern || schema.pattern === textPattern)) {
    return { ...schema, examples: ['text'.slice(0, schema.maxLength as number)] };
  }
  if (schema.type === 'integer' && typeof schema.minimum === 'number') {
    return { ...schema, examples: [Math.max(1, schema.minimum)] };
  }
  return schema;
}
