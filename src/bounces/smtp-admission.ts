import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';
import { AddressLimit } from '../platform/address-limit.ts';
import { blockListOf, type Network, parseNetworks, plainAddress } from '../platform/network.ts';
import type { NoteRefusal } from '../platform/refusal-log.ts';

/** The limits by which the listener admits clients. */
export interface AdmissionLimits {
  /**
   * Maximum number of concurrent connections of one address; mail systems use a few, and fifty leave room for others.
   */
  readonly perAddress: number;
  /** Time limit in milliseconds from connecting to the first accepted recipient, or to signing in. */
  readonly purposeMs: number;
  /** Networks without these limits: many senders share their addresses. */
  readonly free: readonly Network[];
}

/** @param proxies of the configuration, which connect for everyone. */
export const usualAdmission = (proxies: readonly Network[]): AdmissionLimits => ({
  perAddress: 20,
  purposeMs: 30_000,
  free: [...parseNetworks('127.0.0.0/8, ::1'), ...proxies],
});

/** Keeps one address from occupying the SMTP listener with sessions that never send a message. */
export class SmtpAdmission {
  readonly #limits: AdmissionLimits;
  readonly #name: string;
  readonly #note: NoteRefusal;
  /** Timers of clients without an accepted recipient, by address and port. */
  readonly #aimless = new Map<string, NodeJS.Timeout>();

  /**
   * @param name of the server in replies.
   * @param note receives the addresses that the limit of connections rejects.
   */
  constructor(limits: AdmissionLimits, name: string, note: NoteRefusal) {
    this.#note = note;
    this.#limits = limits;
    this.#name = name;
  }

  /** Runs before the server's own handling: a rejected client takes none of its connections. */
  guard({ server }: SMTPServer): void {
    const free = blockListOf(this.#limits.free);
    const limit = new AddressLimit(this.#limits.perAddress);
    const inside = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      // The client has already disconnected.
      if (!socket.remoteAddress) return socket.destroy();
      const address = plainAddress(socket.remoteAddress);
      if (!free.check(address, address.includes(':') ? 'ipv6' : 'ipv4')) {
        if (!limit.admits(socket)) {
          this.#note('too many SMTP connections', address);
          return this.#end(socket, '4.7.0', 'Too many connections from your address, try again later');
        }
        this.#time(socket);
      }
      for (const handle of inside) handle(socket);
    });
  }

  /** Ends the time limit of a session: the client has named a recipient or signed in. */
  knows(session: SMTPServerSession): void {
    this.#stop(keyOf(session));
  }

  #time(socket: Socket): void {
    const key = keyOf(socket);
    const timer = setTimeout(
      () => this.#end(socket, '4.4.2', 'No recipient within its time, closing connection'),
      this.#limits.purposeMs,
    );
    this.#aimless.set(key, timer);
    socket.once('close', () => this.#stop(key));
  }

  #stop(key: string): void {
    clearTimeout(this.#aimless.get(key));
    this.#aimless.delete(key);
  }

  #end(socket: Socket, status: string, why: string): void {
    socket.on('error', () => undefined);
    socket.write(`421 ${status} ${this.#name} ${why}\r\n`);
    // Does not wait for the client to close its side, which may never happen.
    socket.destroySoon();
  }
}

function keyOf({ remoteAddress = '', remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${plainAddress(remoteAddress)} ${remotePort}`;
}
