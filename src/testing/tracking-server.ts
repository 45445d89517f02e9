import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../platform/app.ts';
import { trackingHandler } from '../tracking/tracking-handler.ts';
import { type Listening, serving } from './listening.ts';

/** A tracking server in process. */
export interface TrackingServer extends Listening {
  /** A folder of its own: each of two servers in one process would take the other's files for those of a dead one. */
  readonly dataDir: string;
  /** Waits until the hits that were answered are in the database. */
  settle(): Promise<void>;
}

/** The user agent of a person's browser. */
export const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36';

/** Answers tracked addresses over real HTTP. */
export async function trackingServer(app: App): Promise<TrackingServer> {
  const dataDir = await mkdtemp(join(app.config.dataDir, 'tracking-'));
  const track = trackingHandler({ ...app, config: { ...app.config, dataDir } });
  const server = await serving(track);
  return {
    ...server,
    dataDir,
    settle: () => track.settle(),
    async close() {
      await server.close();
      await track.close();
    },
  };
}
