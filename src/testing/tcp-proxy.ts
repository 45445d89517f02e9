import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type pg from 'pg';
import { listening } from './listening.ts';

/** A way to a server of a test, mostly to its database, that can be cut. */
export interface TcpProxy {
  readonly connection: pg.ClientConfig & { readonly port: number };
  /** Milliseconds after each piece (64 kB at most) that goes to the server; 0 at the beginning. */
  pauseMs: number;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Keeps connections but lets no answer through: what was asked is done all the same. */
  hold(): void;
  /** Holds from the first statement of such a text on: it is done, and nobody hears of it. */
  holdFrom(statement: RegExp): void;
  /** Lets everything through again; connections that were held are broken. */
  restore(): void;
  /** Lets new connections through; those that were held stay silent, as to a machine that vanished. */
  replace(): void;
  close(): Promise<void>;
}

/** Opens a port of loopback before a server, which the test makes unavailable or slow. */
export async function tcpProxy(target: pg.ClientConfig): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'held' = 'open';
  let heldFrom: RegExp | undefined;
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  const server = createServer((inside) => {
    if (state === 'cut') return void inside.destroy();
    const outside = connect(addressOf(target));
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        (socket === inside ? outside : inside).destroy();
      });
    }
    inside.on('data', (chunk) => {
      outside.write(chunk);
      if (proxy.pauseMs > 0) {
        inside.pause();
        setTimeout(() => inside.resume(), proxy.pauseMs).unref();
      }
      if (!heldFrom?.test(chunk.toString('latin1'))) return;
      heldFrom = undefined;
      state = 'held';
    });
    outside.on('data', (chunk) => {
      // What is held is lost permanently, as with a connection that died without a word.
      if (state !== 'held' && !silent.has(inside)) inside.write(chunk);
    });
  });
  const { port, close } = await listening(server);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: TcpProxy = {
    pauseMs: 0,
    connection: { ...target, host: '127.0.0.1', port },
    cut() {
      state = 'cut';
      breakAll();
    },
    hold() {
      state = 'held';
    },
    holdFrom(statement) {
      heldFrom = statement;
    },
    restore() {
      if (state === 'held') breakAll();
      state = 'open';
    },
    replace() {
      for (const socket of sockets) silent.add(socket);
      state = 'open';
    },
    close,
  };
  return proxy;
}

function addressOf({ host = 'localhost', port = 5432 }: pg.ClientConfig) {
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}
