import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { boundedServer, refuseConnection, usualLimits } from './connections.ts';
import { isForOperators } from './operators.ts';
import { notFound } from './refusal.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A second port of a server. It serves everything; administration and metrics then return 404 at the first port. */
export class AdminPort {
  readonly #server: FastifyInstance;
  readonly #listener: Server;
  readonly #sockets = new WeakSet<Socket>();

  constructor(server: FastifyInstance) {
    this.#server = server;
    const limits = usualLimits(true);
    this.#listener = boundedServer(limits, (request, response) => server.routing(request, response));
    this.#listener.on('connection', (socket) => this.#sockets.add(socket));
    this.#listener.on('clientError', (error, socket) => refuseConnection(error, socket as Socket, limits));
    // By the route that was found, not by the address: that can be written in several ways.
    server.addHook('onRequest', async (request) => {
      if (isForOperators(request) && !this.#sockets.has(request.raw.socket)) throw notFound('Route');
    });
  }

  /** Listens; the port that it got, where 0 requests any. */
  async listen({ host, port }: ListenAddress): Promise<number> {
    await this.#server.ready();
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', reject).listen(port, host, resolve);
    });
    // A TCP listener has an object as its address.
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Closes the port at once; requests that run have `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    if (!this.#listener.listening) return;
    const timer = setTimeout(() => this.#listener.closeAllConnections(), patienceMs);
    await new Promise<void>((resolve) => {
      this.#listener.close(() => resolve());
      this.#listener.closeIdleConnections();
    });
    clearTimeout(timer);
  }
}
