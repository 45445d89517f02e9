import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import { LongHeads } from './long-heads.ts';
import { Refusal, requestTimeout, tooLarge } from './refusal.ts';
import { newRequestId, requestIdHeader } from './request-id.ts';

/**
 * Bytes of a request's head (address and header fields) where there are operations. A look-up carries 5,000 values in
 * its address: of 254 characters, 64 of them in front of the @ and each escaped as three, that is 1,995,000.
 */
export const headBytesOfApi = 2 * 1024 * 1024;

export interface ConnectionLimits {
  readonly headBytes: number;
  /** For a head to come in, from the beginning of the connection or of the request. */
  readonly headersMs: number;
  /** For a whole request: a slow body holds no connection for ever. */
  readonly requestMs: number;
  /** How often the two are looked at. */
  readonly checkMs: number;
  /** Maximum number of connections; further ones are closed immediately. */
  readonly connections: number;
  /** Long heads that are read at a time, and those that may wait for it. */
  readonly longHeads: number;
  readonly waitingHeads: number;
  /** Bytes that a client may still send after its answer, and for how long. */
  readonly restBytes: number;
  readonly restMs: number;
}

/** @param hasOperations tracked addresses alone need no more than Node's own 16 kB. */
export const usualLimits = (hasOperations: boolean): ConnectionLimits => ({
  headBytes: hasOperations ? headBytesOfApi : 16 * 1024,
  headersMs: 20_000,
  requestMs: 30_000,
  checkMs: 5_000,
  connections: 10_000,
  longHeads: 8,
  waitingHeads: 64,
  // More than any body that an operation takes, for a slow line.
  restBytes: 64 * 1024 ** 2,
  restMs: 10_000,
});

/** An HTTP server whose connections keep to limits. Failures before a request is whole have the envelope, too. */
export function boundedServer(
  limits: ConnectionLimits,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const options = {
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
  };
  const heads = new LongHeads(limits.longHeads, limits.waitingHeads, (socket) => refuse(socket, busy()));
  const server = createServer(options, (request, response) => {
    heads.isWhole(request);
    takeTheRest(request, limits);
    handle(request, response);
  });
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => heads.watch(socket));
  return server;
}

/** Answers what could not be read as a request, and ends its connection. */
export function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Socket,
  limits: ConnectionLimits,
): void {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  refuse(socket, refusalOf(error, limits));
}

function refusalOf(error: NodeJS.ErrnoException, { headBytes }: ConnectionLimits): Refusal {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      const size = headBytes < 1024 ** 2 ? `${headBytes / 1024} kB` : `${headBytes / 1024 ** 2} MB`;
      return tooLarge(`The address and the header fields are longer than ${size}`);
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return tooLarge('The chunk extensions of the body are too long');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    default:
      return new Refusal(400, 'malformed', 'The request is not valid HTTP');
  }
}

const busy = () => new Refusal(503, 'busy', 'Too many long requests are coming in; try again in a moment');

const lingerMs = 2_000;
const ending = new WeakSet<Socket>();

/** Sends a response without a request, then closes with the client or soon after; earlier would look like a reset. */
function refuse(socket: Socket, refusal: Refusal): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  // As Node itself does: the answer to an earlier request of this connection must not be broken into.
  const { _httpMessage: earlier } = socket as { _httpMessage?: ServerResponse | null };
  if (!socket.writable || earlier?.headersSent) return void socket.destroy();
  const body = JSON.stringify({ success: false, data: null, error: refusal.message, typeName: null });
  const lines = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    `${requestIdHeader}: ${newRequestId()}`,
    `x-error-code: ${refusal.code}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    ...(refusal.retryAfterS === undefined ? [] : [`retry-after: ${refusal.retryAfterS}`]),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}

/** How often we look whether the rest of a body has come, or takes too long. */
const lookMs = 50;

/**
 * Lets a client that is answered before its body has come in see the answer. Node closes a connection that is to end
 * as soon as the answer is written; with more on its way, the client would see a reset and no answer, as those do that
 * read nothing before they have sent everything. So the connection is half-closed, and what still comes is dropped
 * until it is whole, within the limits of bytes and time.
 */
function takeTheRest(request: IncomingMessage, { restBytes, restMs }: ConnectionLimits): void {
  const { headers, socket } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const endNow = Socket.prototype.destroySoon;
  // What Node calls when the last answer of a connection is written, by its documented name.
  socket.destroySoon = () => {
    if (request.complete || socket.destroyed) return endNow.call(socket);
    const bytes = socket.bytesRead;
    const until = performance.now() + restMs;
    socket.end();
    const timer = setInterval(() => {
      const isOver = socket.bytesRead - bytes > restBytes || performance.now() > until;
      if (request.complete || isOver) socket.destroy();
    }, lookMs);
    socket.once('close', () => clearInterval(timer));
  };
}
