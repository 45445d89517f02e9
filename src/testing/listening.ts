import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server of a test that listens on loopback. */
export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Breaks all connections and stops listening. */
  close(): Promise<void>;
}

/** Lets a server listen on a port of loopback, by default a free one. */
export async function listening(server: Server, port = 0): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    url: `http://127.0.0.1:${actual}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

/** Serves a handler of the program over real HTTP; requests that it leaves to others get 418. */
export function serving(
  handle: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<Listening> {
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(418).end();
  });
  return listening(server);
}

/** A server of pictures on loopback, as another caller's. */
export interface PictureHost extends Listening {
  /** Requested paths, in order. */
  readonly asked: IncomingMessage[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Returns the given response for each path, a buffer with 200; 404 for others. */
export async function pictureHost(answers: Readonly<Record<string, Answer | Buffer>>): Promise<PictureHost> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const answer = answers[(request.url ?? '').split('?')[0]!];
    if (answer === undefined) response.writeHead(404).end();
    else if (Buffer.isBuffer(answer)) response.end(answer);
    else answer(request, response);
  });
  return { ...(await listening(server)), asked };
}
