import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { App } from '../platform/app.ts';
import { trackingHandler } from '../tracking/tracking-handler.ts';

/** A tracking server in process. */
export interface TrackingServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** A folder of its own: each of two servers in one process would take the other's files for those of a dead one. */
  readonly dataDir: string;
  /** Waits until the hits that were answered are in the database. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** The user agent of a person's browser. */
export const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36';

/** Answers tracked addresses over real HTTP; requests to others get 418, as a sign that they were let through. */
export async function trackingServer(app: App): Promise<TrackingServer> {
  const dataDir = await mkdtemp(join(app.config.dataDir, 'tracking-'));
  const track = trackingHandler({ ...app, config: { ...app.config, dataDir } });
  const server = createServer((request, response) => {
    if (!track(request, response)) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dataDir,
    settle: () => track.settle(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await track.close();
    },
  };
}
