import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { App } from '../app.ts';
import { Semaphore } from '../semaphore.ts';
import { type AdmissionParts, type Admitted, admit, isStillAdmitted } from './admission.ts';
import { audit, auditEntry, type RecordAudit } from './audit.ts';
import { clientAddressBehind } from './client-address.ts';
import { addCompression } from './compression.ts';
import { boundedServer, type ConnectionLimits, refuseConnection, usualLimits } from './connections.ts';
import { addEntityTags } from './entity-tag.ts';
import { answer, bodyTooLarge, sendFailure } from './envelope.ts';
import { jsonExcess } from './json-bounds.ts';
import {
  bodyMegabytes,
  isOfApi,
  type Operation,
  prefixOf,
  type SentFile,
  type StreamRequest,
} from './operation.ts';
import { type Origins, originsOf } from './origin.ts';
import { invalid, notFound, Refusal, unauthenticated, unavailable } from './refusal.ts';
import { newRequestId, requestIdHeader } from './request-id.ts';
import { typeNamer } from './schema.ts';
import { sendFile } from './send-file.ts';
import { sessionCookie } from './session-cookie.ts';
import { replyBreach, validatorCompiler } from './validation.ts';
import { type Handled, handleVersion, isVersioned } from './versions.ts';

const megabyte = 1024 ** 2;
/** Calls that wait for their turn, where an operation takes only some at a time. */
export const maxWaiting = 100;

/** A request that the tracking part may take before the router sees it; true when it was taken. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface ServerParts extends AdmissionParts {
  readonly operations: readonly Operation[];
  readonly raw?: RawHandler;
  /** Accepts the entries of the audit log; omitted: there is none. */
  readonly recordAudit?: RecordAudit;
  /** Compares every reply with its schema and fails on a breach: for tests. */
  readonly checkReplies?: boolean;
  /** Other limits than the usual ones: for tests. */
  readonly limits?: Partial<ConnectionLimits>;
}

interface Known extends Admitted {
  /** The data that the operation returned. */
  data?: unknown;
  isAudited?: true;
}

/** Makes the HTTP server: every operation as a route, each with the same order of checks. Not listening yet. */
export function makeServer(parts: ServerParts): FastifyInstance {
  const { app, raw } = parts;
  const limits = { ...usualLimits(parts.operations.length > 0), ...parts.limits };
  const server = Fastify({
    // Typed as Fastify's own logger, or the instance would not be a plain FastifyInstance.
    loggerInstance: app.log as FastifyBaseLogger,
    // Our own line per request is in addHeadersAndLog.
    logController: new Fastify.LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: bodyMegabytes * megabyte,
    genReqId: newRequestId,
    exposeHeadRoutes: true,
    requestTimeout: limits.requestMs,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // An address that no route can have, by its length or its escapes: Fastify's own answer would repeat it.
    frameworkErrors: (_error, request, reply) => {
      sendFailure(notFound('Route'), request, reply);
    },
    // Before there is a request.
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, limits),
    serverFactory: (handler) =>
      boundedServer(limits, (request, response) => {
        if (raw?.(request, response)) return;
        handler(request, response);
      }),
  });
  server.setValidatorCompiler(validatorCompiler);
  // Replies are checked by type and by test; serialising them needs no second schema pass.
  server.setSerializerCompiler(() => JSON.stringify);
  server.setErrorHandler<Error>(sendFailure);
  server.setNotFoundHandler((request, reply) => sendFailure(notFound('Route'), request, reply));
  readJsonBodies(server);
  readFiles(server);
  addHeadersAndLog(server);
  // In this order: the tag is that of the text, whatever it is compressed by.
  addEntityTags(server);
  addCompression(server);
  const streams = new EventStreams(server);
  for (const operation of parts.operations) addRoute(server, parts, operation, streams);
  return server;
}

/** Accepts JSON in UTF-8 only: other encodings' accents would become U+FFFD. An empty body is no body. */
function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes))
      return done(new Refusal(400, 'malformed', 'The body is not written in UTF-8'), undefined);
    const body = bytes.toString();
    const excess = jsonExcess(body);
    if (excess !== undefined) return done(new Refusal(400, 'malformed', excess), undefined);
    return parse(request, body, done);
  });
}

/** Hands the bytes of a file on as they come, to operations that take one. */
function readFiles(server: FastifyInstance): void {
  server.addContentTypeParser('application/octet-stream', (request, bytes: Readable, done) => {
    const { takesFile } = request.routeOptions.config as { takesFile?: true };
    if (takesFile) return done(null, bytes);
    const text = 'The body must be JSON (content-type: application/json)';
    return done(new Refusal(400, 'malformed', text), undefined);
  });
}

/** The bytes of a file in a body. @throws 400 for none, 413 for a larger one, 503 when the client disconnects */
async function* fileIn({ body, routeOptions }: FastifyRequest): AsyncGenerator<Buffer> {
  if (!(body instanceof Readable))
    throw new Refusal(400, 'malformed', 'The body must be a file (content-type: application/octet-stream)');
  const limit = routeOptions.bodyLimit ?? 0;
  let bytes = 0;
  try {
    // Left open when the reading ends early: the response goes over the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > limit) throw bodyTooLarge(limit / megabyte);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw error instanceof Refusal
      ? error
      : unavailable('The client disconnected before the end of its file');
  }
}

function addHeadersAndLog(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header(requestIdHeader, request.id).header('x-content-type-options', 'nosniff');
    // People's data: no cache on the way may keep it. A program that keeps it itself has the ETag to ask by.
    if (isOfApi(request.routeOptions.url ?? request.url)) reply.header('cache-control', 'no-store');
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    // The route's pattern, not the address: addresses hold emails and tokens.
    const line = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    request.log.debug(line, 'request');
  });
}

function addRoute(
  server: FastifyInstance,
  parts: ServerParts,
  operation: Operation,
  streams: EventStreams,
): void {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const known = new WeakMap<FastifyRequest, Known>();
  const typeNameFor = typeNamer(operation.reply);
  const addressOf = clientAddressBehind(parts.app.config.trustedProxies);
  const origins = originsOf(parts.app);
  const { atOnce } = operation;
  const isOpen = operation.right === 'none';
  const semaphore =
    atOnce === undefined
      ? undefined
      : new Semaphore(`calls of ${operation.id}`, { permits: atOnce, waiting: maxWaiting });
  server.route({
    method: operation.method,
    url: `${prefixOf(operation).replace('{idsite}', ':idsite')}${path}`,
    schema: inputSchema(operation),
    config: { operation: operation.id, ...(operation.takesFile && { takesFile: true }) },
    bodyLimit: (operation.bodyMegabytes ?? bodyMegabytes) * megabyte,
    onRequest: async (request, reply) => {
      const found: Known = {};
      known.set(request, found);
      await admit(parts, operation, request, found, origins);
      if (semaphore && !isOpen && (!operation.limitsLargeBodies || isLarge(request)))
        await acquireFor(semaphore, reply.raw);
    },
    preValidation: async (request) => splitLists(operation, request),
    // After the body: strangers who send theirs byte by byte would otherwise hold all permits.
    preHandler: async (_request, reply) => {
      if (semaphore && isOpen) await acquireFor(semaphore, reply.raw);
    },
    // Not `onResponse`, which does not come when the client disconnects: it would hide what it did.
    onSend: async (request, reply) => {
      const found = known.get(request) ?? {};
      if (found.isAudited) return;
      known.set(request, { ...found, isAudited: true });
      auditRequest(parts, operation, { ...found, address: addressOf(request.raw) }, request, reply);
    },
    handler: async (request, reply) => {
      const found = known.get(request) ?? {};
      if (!found.caller && operation.right !== 'none') throw unauthenticated();
      const input = {
        ...inputOf(parts.app, operation, request, reply),
        ...(found.caller && { caller: found.caller }),
        db: operation.scope === 'site' ? found.site : parts.app.control,
        ...(operation.takesFile && { file: fileIn(request) }),
        ...(operation.sendsEvents && { stream: streamOf(parts, operation, request, origins) }),
        ...(operation.scope === 'caller' && {
          address: addressOf(request.raw),
          origin: request.headers.origin ?? null,
          setSessionCookie: (text: string | null) =>
            reply.header('set-cookie', sessionCookie(text, origins.isSecure(request.raw))),
        }),
      };
      const data = await handled(operation, input, request, reply);
      if (data instanceof PassThrough) return streams.send(data, reply);
      known.set(request, { ...found, data });
      if (operation.givesFile) return sendFile(reply, data as SentFile);
      if (parts.checkReplies) checkReply(operation, data);
      return reply.send(answer(data, typeNameFor(data)));
    },
  });
}

/** Logs a call of administration, and hands a change to the audit log. */
function auditRequest(
  { app, recordAudit }: ServerParts,
  operation: Operation,
  { caller, site, data, address }: Known & { readonly address: string | null },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // Requests without a token are logged, and limited, by the guard of tokens.
  if (!caller || operation.scope === 'caller') return;
  const audited = { caller, data, address, idSite: site?.site.id };
  if (operation.scope === 'admin') audit(operation, audited, request, reply);
  const entry = auditEntry(operation, audited, request, { status: reply.statusCode, at: app.clock.now() });
  if (entry) recordAudit?.(entry);
}

/** Runs the handler of an operation; for a record with versions, compares and sends its version. */
async function handled(
  operation: Operation,
  input: object,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (isVersioned(operation)) return handleVersion(operation, input as Handled, request, reply);
  // The schemas that made `handle`'s type are those that just validated the request.
  return operation.handle(input as never);
}

/** Checks a reply as its JSON is read, in which a Date is a text. @throws when it is outside the schema */
function checkReply({ id, reply }: Operation, data: unknown): void {
  const breach = replyBreach(reply, JSON.parse(JSON.stringify({ data })).data);
  if (breach) throw new Error(`${id} answered outside its schema: ${breach}`);
}

function inputOf(app: App, operation: Operation, request: FastifyRequest, reply: FastifyReply) {
  const aborted = new AbortController();
  // The request's own `aborted` only reports bodies that were not read to their end.
  const gone = () => aborted.abort(unavailable('The client disconnected before the response'));
  reply.raw.once('close', () => reply.raw.writableFinished || gone());
  // It may have gone while its token was looked up.
  if (reply.raw.destroyed) gone();
  return {
    params: request.params,
    query: request.query,
    body: operation.takesFile ? null : request.body,
    idempotencyKey: operation.isRepeatable && idempotencyKeyOf(request),
    now: app.clock.now(),
    app,
    signal: aborted.signal,
  };
}

function streamOf(
  parts: ServerParts,
  operation: Operation,
  request: FastifyRequest,
  origins: Origins,
): StreamRequest {
  const id = request.headers['last-event-id'];
  return {
    lastEventId: id === undefined ? undefined : String(id),
    isStillAdmitted: () => isStillAdmitted(parts, operation, request, origins),
  };
}

/** The key of a call that may be repeated, without the quotes that a structured field has. @throws 400 */
function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  const key = /^"?([\x21\x23-\x7e]{1,255}?)"?$/.exec(String(given))?.[1];
  if (key === undefined)
    throw invalid('Idempotency-Key: must be 1 to 255 printable ASCII characters without spaces and quotes');
  return key;
}

/** Whether a body may be larger than operations usually take: by its length, where the client says it. */
const isLarge = ({ headers }: FastifyRequest): boolean => {
  const length = headers['content-length'];
  return length === undefined || Number(length) > bodyMegabytes * megabyte;
};

/** Waits until a call's body may be read; its permit is released with the response or a disconnect. @throws 503 */
async function acquireFor(semaphore: Semaphore, response: ServerResponse): Promise<void> {
  let isEnded = false;
  let release = () => {};
  const end = () => {
    isEnded = true;
    release();
  };
  response.once('finish', end).once('close', end);
  release = await semaphore.acquire();
  // The client may have disconnected before the listeners were added: no event follows then.
  if (isEnded || response.destroyed) release();
}

const noQuery = { type: 'object', properties: {}, additionalProperties: false };
const withSite = new WeakMap<object, object>();

/** Compiled schemas are cached by identity: a second server of the same operations compiles nothing. */
function inputSchema({ scope, params, query, body }: Operation): Record<string, unknown> {
  return {
    querystring: query ?? noQuery,
    ...(params && { params: scope === 'site' ? withIdOfSite(params) : params }),
    ...(body && { body }),
  };
}

function withIdOfSite(params: object): object {
  const known = withSite.get(params);
  if (known) return known;
  const { properties, ...rest } = params as { properties: object };
  const made = { ...rest, properties: { ...properties, idsite: { type: 'string' } } };
  withSite.set(params, made);
  return made;
}

/** Arrays in a query: repeated, separated by commas, or both. */
function splitLists(operation: Operation, request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  const members = (operation.query as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};
  for (const [name, schema] of Object.entries(members)) {
    const value = query[name];
    if (!isList(schema) || value === undefined) continue;
    query[name] = value === '' ? [] : [value].flat().flatMap((one) => String(one).split(','));
  }
}

function isList(schema: unknown): boolean {
  const { type, anyOf } = schema as { type?: string; anyOf?: unknown[] };
  return type === 'array' || (anyOf?.some(isList) ?? false);
}

/** The open streams of events of a server; all end when it begins to close, or it would wait for their clients. */
class EventStreams {
  readonly #open = new Set<PassThrough>();

  constructor(server: FastifyInstance) {
    server.addHook('preClose', async () => {
      for (const stream of this.#open) stream.end();
    });
  }

  /** Sends a stream, and destroys it with its connection. */
  send(stream: PassThrough, reply: FastifyReply): FastifyReply {
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    reply.raw.once('close', () => stream.destroy());
    // The client may have disconnected while the stream was created: no event follows then.
    if (reply.raw.destroyed) stream.destroy();
    // nginx would collect events; other proxies leave this type alone.
    return reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no').send(stream);
  }
}
