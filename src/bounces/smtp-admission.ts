import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';
import { AddressLimit } from '../platform/address-limit.ts';
import { blockListOf, type Network, parseNetworks, plainAddress } from '../platform/network.ts';
import type { NoteRefusal } from '../platform/refusal-log.ts';

/** The limits by which the listener admits clients. */
export interface AdmissionLimits {
  /** Connections that one address has at a time; mail systems use a few, and fifty of them would fill no listener. */
  readonly perAddress: number;
  /** From connecting to the first recipient that is taken, or to signing in. */
  readonly purposeMs: number;
  /** Addresses that neither limit holds for: behind them stand many senders. */
  readonly free: readonly Network[];
}

/** @param proxies of the configuration: what is before our ports, and speaks for everybody. */
export const usualAdmission = (proxies: readonly Network[]): AdmissionLimits => ({
  perAddress: 20,
  purposeMs: 30_000,
  free: [...parseNetworks('127.0.0.0/8, ::1'), ...proxies],
});

/** Keeps one address from holding all places of the SMTP listener, by sessions that never come to a message. */
export class SmtpAdmission {
  readonly #limits: AdmissionLimits;
  readonly #name: string;
  readonly #note: NoteRefusal;
  /** Those that have not said what they come for, by their address and port. */
  readonly #aimless = new Map<string, NodeJS.Timeout>();

  /**
   * @param name how the server calls itself.
   * @param note is told whom the limit of connections sends away.
   */
  constructor(limits: AdmissionLimits, name: string, note: NoteRefusal) {
    this.#note = note;
    this.#limits = limits;
    this.#name = name;
  }

  /** Stands before the server's own handling: whom it refuses takes none of the places there. */
  guard({ server }: SMTPServer): void {
    const free = blockListOf(this.#limits.free);
    const limit = new AddressLimit(this.#limits.perAddress);
    const inside = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      // Gone before we looked.
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

  /** The client of a session has shown what it comes for: its time no longer runs. */
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
    // Not waiting for the client to close its side, which it may never do.
    socket.destroySoon();
  }
}

function keyOf({ remoteAddress = '', remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${plainAddress(remoteAddress)} ${remotePort}`;
}
