import type { TSchema } from 'typebox';
import { answer } from './envelope.ts';
import { introduction } from './introduction.ts';
import { failureResponses, headers, headersOf, otherReplies } from './openapi-responses.ts';
import { type Need, type Operation, prefixOf } from './operation.ts';
import { ownReplies, sharedReplies } from './replies.ts';
import {
  linePattern,
  recordKeyword,
  textPattern,
  typeNamer,
  typeNamesOf,
  wellFormedKeyword,
} from './schema.ts';
import { sessionCookieName } from './session-cookie.ts';
import { acceptsIfMatch } from './versions.ts';

type Json = Record<string, unknown>;

/** Shared texts of the reference; an operation's own texts take precedence. */
export interface ReferenceWords {
  /** Keyed by tag, in Markdown. */
  readonly sections: Readonly<Record<string, string>>;
  /** Keyed by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A request that tests sent to an operation, and its response. */
export interface ShownExample {
  readonly body?: unknown;
  readonly data: unknown;
}

export interface DocumentParts {
  readonly operations: readonly Operation[];
  readonly version: string;
  readonly words: ReferenceWords;
  /** Keyed by operation. Default: none. */
  readonly examples?: Readonly<Record<string, ShownExample>>;
}

/** Builds the OpenAPI 3.1 document. @throws Error for an undescribed section or parameter, or a title used twice */
export function openApiDocument(parts: DocumentParts): Json {
  const { operations, version, words } = parts;
  const schemas: Record<string, Json> = {
    Failure: envelope({
      success: { type: 'boolean', const: false },
      data: { description: 'null, or the work that was done before the failure where an operation says so' },
      error: { type: 'string' },
      typeName: { type: 'null' },
    }),
  };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = `${prefixOf(operation)}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, parts, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Facteur',
      version,
      summary: 'Email marketing over HTTP: subscribers, targets, campaigns, sending, statistics',
      description: introduction,
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    tags: sectionsOf(operations).map((name) => ({ name, description: said(words.sections, name) })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token alone, without the word Bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName,
          description:
            'The cookie that signIn sets, for pages of the service itself: requests other than GET and HEAD must ' +
            'carry its own Origin',
        },
      },
      parameters: { idsite, idempotencyKey, lastEventId, ifMatch, ifNoneMatch },
      headers,
      responses: failureResponses(),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** The tags of the operations in their order: what is for one site, for the caller, for the administration of all. */
function sectionsOf(operations: readonly Operation[]): string[] {
  const ofScope = (wanted: Operation['scope']) => operations.filter(({ scope }) => scope === wanted);
  return [...new Set([...ofScope('site'), ...ofScope('caller'), ...ofScope('admin')].map(({ tag }) => tag))];
}

function said(words: Readonly<Record<string, string>>, name: string): string {
  const text = words[name];
  if (text === undefined) throw new Error(`Nothing is said of ${name}; say it in reference-words.ts`);
  return text;
}

const idsite = {
  name: 'idsite',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'The name of the site',
  example: 'demo',
};

const header = (name: string, schema: Json, description: string): Json => {
  return { name, in: 'header', required: false, schema, description };
};

const idempotencyKey = header(
  'Idempotency-Key',
  { type: 'string', minLength: 1, maxLength: 255 },
  'A key that the caller chooses for this call, for example a UUID. The same key with the same body within 24 ' +
    'hours returns the same response and has no second effect; with another body it is rejected (422)',
);

const lastEventId = header(
  'Last-Event-ID',
  { type: 'string', maxLength: 19 },
  'The last id that the client received. Browsers send it by themselves when they connect again. The stream then ' +
    'begins with everything that has changed since',
);

const ifMatch = header(
  'If-Match',
  { type: 'string', maxLength: 1_000 },
  'The ETag of the record as the caller read it, or of the response to their last change. If the record has ' +
    'changed since then, nothing is changed (412). Omitted: the change is made in any case',
);

const ifNoneMatch = header(
  'If-None-Match',
  { type: 'string', const: '*' },
  'Creates the record only if there is none yet; otherwise nothing is changed (412). Omitted: an existing record ' +
    'is changed',
);

const neededWords = (need: Need): string => {
  if (need === 'any') return 'Requires any valid token or session.';
  return need === 'none' ? 'Requires no token.' : `Needs the right \`${need}\`.`;
};

function describe(operation: Operation, parts: DocumentParts, schemas: Record<string, Json>): Json {
  const shown = parts.examples?.[operation.id];
  const body = operation.example ?? shown?.body;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, neededWords(operation.right)].filter(Boolean).join('\n\n'),
    ...(operation.right === 'none' && { security: [] }),
    ...(operation.deprecated && { deprecated: true }),
    parameters: [
      ...(operation.scope === 'site' ? [{ $ref: '#/components/parameters/idsite' }] : []),
      ...parameters(operation.params, 'path', parts.words, schemas),
      ...parameters(operation.query, 'query', parts.words, schemas),
      ...(operation.sendsEvents ? [{ $ref: '#/components/parameters/lastEventId' }] : []),
      ...(acceptsIfMatch(operation) ? [{ $ref: '#/components/parameters/ifMatch' }] : []),
      ...(operation.mayCreate ? [{ $ref: '#/components/parameters/ifNoneMatch' }] : []),
      ...(operation.isRepeatable ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
    ],
    ...(operation.body && {
      requestBody: {
        required: !takesNull(operation.body),
        content: {
          'application/json': {
            schema: place(operation.body, schemas),
            ...(body !== undefined && { example: body }),
          },
        },
      },
    }),
    ...(operation.takesFile && {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses: responses(operation, shown, schemas),
  };
}

function responses(
  operation: Operation,
  shown: ShownExample | undefined,
  schemas: Record<string, Json>,
): Json {
  const replies = [...sharedReplies(operation), ...ownReplies(operation)];
  const others = [...new Set(replies)].filter((status) => status !== 200).sort();
  const example = shown && !operation.givesFile && answer(shown.data, typeNamer(operation.reply)(shown.data));
  const schema = envelope({
    success: { type: 'boolean', const: true },
    data: place(operation.reply, schemas),
    error: { type: 'null' },
    typeName: oneOfThese(typeNamesOf(operation.reply)),
  });
  return {
    200: {
      description: 'Success',
      headers: headersOf(isTagged(operation) ? 200 : undefined),
      content: operation.givesFile
        ? { 'application/octet-stream': { schema: operation.reply } }
        : operation.sendsEvents
          ? { 'text/event-stream': { schema: place(operation.reply, schemas) } }
          : { 'application/json': { schema, ...(example && { example }) } },
    },
    ...Object.fromEntries(
      others.map((status) => [status, { $ref: `#/components/responses/${otherReplies[status]![0]}` }]),
    ),
  };
}

/** Whether success can have an ETag. */
const isTagged = (operation: Operation): boolean =>
  (operation.method === 'GET' && !operation.givesFile) || acceptsIfMatch(operation);

const takesNull = (body: TSchema): boolean => {
  const { type, anyOf = [] } = body as { readonly type?: string; readonly anyOf?: readonly TSchema[] };
  return type === 'null' || anyOf.some(takesNull);
};

/** The envelope of every response. */
const envelope = (properties: Json): Json => ({
  type: 'object',
  required: ['success', 'data', 'error', 'typeName'],
  properties,
});

const oneOfThese = (words: readonly string[]): Json =>
  words.length === 1 ? { type: 'string', const: words[0] } : { type: 'string', enum: words };

function parameters(
  schema: TSchema | undefined,
  where: 'path' | 'query',
  words: ReferenceWords,
  schemas: Record<string, Json>,
): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, member]) => {
    const isRequired = where === 'path' || required.includes(name);
    const { description = said(words.parameters, name), ...schema } = place(member, schemas) as Json;
    // The reference fills in a parameter's own example only; anyone who tries an operation is to fill in nothing
    // else.
    const [example] = isRequired ? ((schema.examples ?? []) as unknown[]) : [];
    const shown = example !== undefined && { example };
    return { name, in: where, required: isRequired, description, schema, ...shown };
  });
}

/** Moves titled objects of a schema to the components. @throws Error if two different objects have one title */
function place(schema: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => place(one, schemas));
  if (schema === null || typeof schema !== 'object') return schema;
  const placed: Json = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, place(value, schemas)]),
  );
  // Ours alone: what it requests is in the introduction.
  delete placed[wellFormedKeyword];
  delete placed[recordKeyword];
  addType(placed);
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

/** Adds the type to a list of words or a single one, because client generators rely on it. */
function addType(schema: Json): void {
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  const types = new Set(values.map((value) => typeof value));
  if (schema.type === undefined && types.size === 1) schema.type = [...types][0];
}

/** Moves the description of a nullable schema to the union, where a reader sees it without unfolding. */
function liftDescription(union: Json, branches: readonly Json[]): Json {
  const [first, second] = branches;
  if (branches.length !== 2 || second?.type !== 'null' || first?.description === undefined) return union;
  const { description, ...rest } = first;
  return { description, ...union, anyOf: [rest, second] };
}

/** Adds an example; the reference's own, from a pattern or 32-bit limits, would be useless. */
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
