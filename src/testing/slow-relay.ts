import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a server on loopback, as narrow as a test wants it. */
export interface SlowRelay {
  readonly port: number;
  /** Milliseconds after each piece (64 kB at most) that goes to the server; 0, as at the beginning, for none. */
  pauseMs: number;
  close(): Promise<void>;
}

/** Stands before a server; what the server says comes back at once. */
export async function slowRelay(target: number): Promise<SlowRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect({ port: target, host: '127.0.0.1' });
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        (socket === inside ? outside : inside).destroy();
      });
    }
    outside.pipe(inside);
    inside.on('data', (piece) => {
      outside.write(piece);
      if (relay.pauseMs === 0) return;
      inside.pause();
      setTimeout(() => inside.resume(), relay.pauseMs).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: SlowRelay = {
    port: (server.address() as AddressInfo).port,
    pauseMs: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return relay;
}
