import { createServer } from 'node:net';

/**
 * A port of loopback at which nobody listens, for tests that need one closed for a while, or again. It lies below the
 * range that the system gives out by itself: no server of another test gets it meanwhile, and no connection to it
 * leaves from it, which would reach itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
