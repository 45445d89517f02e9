import { createServer } from 'node:net';

/**
 * Returns a port of loopback on which no server listens, for tests that need one closed for a while, or again. It is
 * below the range that the system assigns: no server of another test gets it, and no connection to it leaves from it,
 * which would reach itself.
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
