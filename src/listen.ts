import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Opens a port by `open`; says why it fails, with its `setting`. `others`: the process ids on the data directory. */
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
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new Error(
        `${(error as NodeJS.ErrnoException).message}; ${setting} must name an address of this machine`,
      );
    if (code === 'EACCES') throw new Error(`Port ${port} cannot be opened by this user; set ${setting}`);
    throw error;
  }
}

/** A port that this process is going to open, and the setting that chooses it. */
export interface WantedPort {
  readonly setting: string;
  readonly port: number;
  /** Default: all addresses of the machine. */
  readonly host?: string | undefined;
}

/** Tests ports before the start does anything else. @throws Error with the reason, in one sentence */
export async function tryPorts(
  wanted: readonly WantedPort[],
  others: () => readonly number[],
): Promise<void> {
  const probes: Server[] = [];
  try {
    // Each stays open until all were attempted: two settings may name the same port.
    for (const { setting, port, host } of wanted) {
      const probe = createServer();
      const open = () =>
        new Promise<void>((resolve, reject) =>
          probe.once('error', reject).listen({ port, ...(host && { host }) }, resolve),
        );
      await takePort(setting, port, open, others);
      probes.push(probe);
    }
  } finally {
    for (const probe of probes) await new Promise((resolve) => probe.close(resolve));
  }
}

function whyTaken(setting: string, port: number, [pid]: readonly number[]): string {
  if (pid === undefined) return `Port ${port} is taken by another program; set ${setting}`;
  const already = `Port ${port} is taken, and Facteur runs on this data directory already (process ${pid})`;
  return `${already}: end that one, or set ${setting} to run one more beside it`;
}

/** Makes HTTP listen; the port it got. @param host omitted: all addresses, even where the machine has no IPv6. */
export async function listenHttp(server: FastifyInstance, port: number, host?: string): Promise<number> {
  try {
    await server.listen({ port, host: host ?? '::' });
  } catch (error) {
    if (
      host !== undefined ||
      !/^(EAFNOSUPPORT|EADDRNOTAVAIL|EINVAL)$/.test((error as NodeJS.ErrnoException).code ?? '')
    )
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
