import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeReturnPath } from '../activity/return-path.ts';
import { parseNetworks } from '../platform/network.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { dsn } from '../testing/reports.ts';
import { until } from '../testing/until.ts';
import { type AdmissionLimits, usualAdmission } from './smtp-admission.ts';
import { type SmtpListener, startSmtpListener } from './smtp-listener.ts';

/** Linux takes every address of 127.0.0.0/8 for this machine's: these are strangers here, that one a relay in front. */
const [stranger, other, relay] = ['127.0.0.2', '127.0.0.3', '127.0.0.9'];
const refusal = /^421 4\.7\.0 mail\.test Too many connections from your address, try again later\r\n$/;

let t: TestApp;
let returnPath: string;
const listeners: SmtpListener[] = [];
const sockets: Socket[] = [];
beforeAll(async () => {
  t = await testApp();
  returnPath = makeReturnPath(
    t.app.secrets,
    { idSite: t.db.site.id, idSent: 7, idSubscriber: 1 },
    'mail.test',
  );
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of listeners.splice(0)) await listener.close();
});
afterAll(() => t.close());

async function listen(limits: Partial<AdmissionLimits> = {}): Promise<number> {
  const free = parseNetworks(relay);
  const listener = await startSmtpListener(t.app, 0, undefined, { free, ...limits });
  listeners.push(listener);
  return listener.port;
}

interface Client {
  readonly socket: Socket;
  /** All that the server has said. */
  said(): string;
}

function dial(port: number, localAddress: string): Client {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk;
  });
  sockets.push(socket.on('error', () => undefined));
  return { socket, said: () => said };
}

/** Waits until a client has received a reply, or is disconnected. */
const hears = ({ socket, said }: Client, what: RegExp) =>
  until(() => what.test(said()) || socket.closed, `it hears ${what}`);

/** A client that reads the greeting and says nothing. */
async function idle(port: number, localAddress: string): Promise<Client> {
  const client = dial(port, localAddress);
  await hears(client, /\n/);
  expect(client.said()).toMatch(/^220 mail\.test /);
  return client;
}

/** Returns everything a client received until it was disconnected. */
async function toItsEnd(client: Client): Promise<string> {
  await until(() => client.socket.closed, 'it is let go');
  return client.said();
}

/** A whole report from an address, as a mail system sends one. */
function report(port: number, localAddress: string): Promise<unknown> {
  const transport = createTransport({ host: '127.0.0.1', port, localAddress, ignoreTLS: true });
  const envelope = { from: '', to: returnPath };
  return transport.sendMail({ envelope, raw: dsn({ to: returnPath }) }).finally(() => transport.close());
}

it('one address has so many connections and learns why it gets no other; reports from elsewhere come in', async () => {
  const port = await listen({ perAddress: 3 });
  const held = [await idle(port, stranger), await idle(port, stranger), await idle(port, stranger)];
  for (let i = 0; i < 5; i++) expect(await toItsEnd(dial(port, stranger))).toMatch(refusal);
  await expect(report(port, stranger)).rejects.toMatchObject({ responseCode: 421 });
  await report(port, other);

  held[0]!.socket.destroy();
  // Its place is free when the server has seen it go.
  const isTaken = () =>
    report(port, stranger).then(
      () => true,
      (error: { responseCode?: number }) => {
        expect(error.responseCode).toBe(421);
        return false;
      },
    );
  await until(isTaken, 'a report takes the place that came free');
});

const told = /421 4\.4\.2 mail\.test No recipient within its time, closing connection\r\n$/;

it('a client that names no valid recipient is rejected and disconnected; an exempt one stays', async () => {
  const port = await listen({ purposeMs: 300 });
  const afar = await idle(port, relay);
  const [silent, talking] = [dial(port, stranger), dial(port, stranger)];
  talking.socket.once('data', () => talking.socket.write(talk('nobody@mail.test')));
  expect(await toItsEnd(silent)).toMatch(told);
  expect(await toItsEnd(talking)).toMatch(told);
  afar.socket.write('NOOP\r\n');
  await hears(afar, /\n250 /);
  expect(afar.said()).toMatch(/\n250 [^\n]*\n$/);
});

it('who has named a recipient of ours is no longer timed', async () => {
  // On a machine that is too busy for the first time, the next one is longer.
  for (let purposeMs = 500; ; purposeMs *= 2) {
    const port = await listen({ purposeMs });
    const known = dial(port, stranger);
    known.socket.once('data', () => known.socket.write(talk(returnPath)));
    await hears(known, /Accepted/);
    if (!known.said().includes('Accepted')) continue;
    // Its time limit started later, so that of the other would have passed.
    expect(await toItsEnd(dial(port, stranger))).toMatch(told);
    known.socket.write('NOOP\r\n');
    await hears(known, /Accepted\r\n250 /);
    expect(known.said()).toMatch(/Accepted\r\n250 [^\n]*\n$/);
    return;
  }
});

/** Commands up to the recipient, in one go. */
const talk = (recipient: string) => `EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${recipient}>\r\n`;

it('loopback and the trusted proxies have no limit of their own, and a stranger leaves most places to others', () => {
  const door = usualAdmission(parseNetworks('10.1.0.0/16'));
  expect(door.free).toEqual(parseNetworks('127.0.0.0/8, ::1, 10.1.0.0/16'));
  expect(door.perAddress).toBe(20);
});

it('as it is set by default, this machine has more than an address has', async () => {
  const port = await listen({ free: usualAdmission([]).free });
  const held = Array.from({ length: 25 }, () => dial(port, '127.0.0.1'));
  for (const client of held) await hears(client, /\n/);
  expect(new Set(held.map((client) => client.said().slice(0, 4)))).toEqual(new Set(['220 ']));
});
