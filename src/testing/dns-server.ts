import dns2 from 'dns2';
import { freePort } from './free-port.ts';

const { Packet } = dns2;

/** The records of a name. `silent`: no response; `failing`: the server says that it failed. */
export type DnsRecords = 'silent' | 'failing' | ZoneRecords;
interface ZoneRecords {
  /** Texts; those of more than 255 bytes are split. */
  readonly txt?: readonly string[];
  readonly mx?: readonly (readonly [priority: number, exchange: string])[];
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
}

/** A real DNS server on loopback, over UDP and, for what is too long for it, TCP. */
export class DnsServer {
  /** The records by name in lower case; tests change them. */
  readonly zone: Record<string, DnsRecords> = {};
  /** The requested names, in order. */
  asked: string[] = [];
  /** Responses wait for it. */
  held: Promise<unknown> | undefined;
  /** Both ways on one port: a client that was sent too little by UDP asks there again by TCP. */
  readonly #server = dns2.createServer({
    ...{ udp: true, tcp: true },
    handle: (request, send) => void this.#handle(request, send as never),
  });
  #address = '';

  static async start(zone: Record<string, DnsRecords> = {}): Promise<DnsServer> {
    const server = new DnsServer();
    Object.assign(server.zone, zone);
    const at = { port: await freePort(), address: '127.0.0.1' };
    await server.#server.listen({ udp: at, tcp: at } as never);
    server.#address = `${at.address}:${at.port}`;
    return server;
  }

  /** The setting by which the service asks this server. */
  get dnsServers(): readonly string[] {
    return [this.#address];
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #handle(request: InstanceType<typeof Packet>, send: (response: unknown) => void): Promise<void> {
    const { name, type } = request.questions[0]! as { name: string; type: number };
    this.asked.push(name);
    await this.held;
    const found = this.zone[name.toLowerCase()];
    if (found === 'silent') return;
    const response = Packet.createResponseFromRequest(request);
    if (found === 'failing') response.header.rcode = 2;
    else if (found === undefined) response.header.rcode = 3;
    else
      for (const data of answersOf(found, type))
        response.answers.push({ name, type, class: Packet.CLASS.IN, ttl: 300, ...data } as never);
    send(response);
  }
}

function answersOf({ txt = [], mx = [], a = [], aaaa = [] }: ZoneRecords, type: number): readonly object[] {
  if (type === Packet.TYPE.TXT) return txt.map((text) => ({ data: text.match(/.{1,255}/gs) ?? [''] }));
  if (type === Packet.TYPE.MX) return mx.map(([priority, exchange]) => ({ priority, exchange }));
  if (type === Packet.TYPE.A) return a.map((address) => ({ address }));
  return type === Packet.TYPE.AAAA ? aaaa.map((address) => ({ address })) : [];
}
