import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of pictures on loopback, as another caller's. */
export interface PictureHost {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: IncomingMessage[];
  close(): Promise<void>;
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
