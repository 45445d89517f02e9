import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Opens a port by `open`, and says in one sentence why it cannot be had.
 * @param setting the variable that chooses the port.
 * @param others process ids of the services that run on the same data directory.
 */
export async function takePort<T>(
  setting: string,
  port: number,
  open: () => Promise<T>,
  others: () => readonly number[],
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new Error(whyTaken(setting, port, others()));
    if (code === 'EACCES') throw new Error(`Port ${port} may not be opened by this user; set ${setting}`);
    throw error;
  }
}

/** A port that this process is going to open, and the setting that chooses it. */
export interface WantedPort {
  readonly setting: string;
  readonly port: number;
}

/**
 * Tries ports before anything else is made for the start. Another program may still take one afterwards.
 * @throws Error in one sentence that says why one of them cannot be opened.
 */
export async function tryPorts(
  wanted: readonly WantedPort[],
  others: () => readonly number[],
): Promise<void> {
  for (const { setting, port } of wanted) {
    const probe = createServer();
    const open = () =>
      new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, resolve));
    await takePort(setting, port, open, others);
    await new Promise((resolve) => probe.close(resolve));
  }
}

function whyTaken(setting: string, port: number, [pid]: readonly number[]): string {
  if (pid === undefined) return `Port ${port} is taken by another program; set ${setting}`;
  const already = `Port ${port} is taken, and Facteur runs on this data directory already (process ${pid})`;
  return `${already}: end that one, or set ${setting} to run one more beside it`;
}

/** Makes HTTP listen on all addresses, also where the machine has no IPv6; the port it got. */
export async function listenHttp(server: FastifyInstance, port: number): Promise<number> {
  try {
    await server.listen({ port, host: '::' });
  } catch (error) {
    if (!/^(EAFNOSUPPORT|EADDRNOTAVAIL|EINVAL)$/.test((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
    await server.listen({ port, host: '0.0.0.0' });
  }
  // A TCP listener has an object as its address.
  return (server.server.address() as AddressInfo).port;
}

/** Lets requests that run come to their end, for at most `patienceMs`, and closes the port at once. */
export async function closeHttp(server: FastifyInstance, patienceMs: number): Promise<void> {
  const timer = setTimeout(() => server.server.closeAllConnections(), patienceMs);
  await server.close();
  clearTimeout(timer);
}
