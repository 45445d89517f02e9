import PostalMime, { type Email } from 'postal-mime';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { singleStates } from '../sending/single-message.ts';
import type { TestApp } from './app.ts';
import { type MadeSending, makeSending } from './make-sending.ts';
import { makeJob } from './make-sent.ts';
import { SendingTester } from './sending-tester.ts';
import type { SinkOptions, SmtpSink, SunkMessage } from './smtp-sink.ts';
import { browser, type TrackingServer, trackingServer } from './tracking-server.ts';
import { until } from './until.ts';

/** A reader who got a message that can be forwarded. */
export interface Forwarding {
  readonly sink: SmtpSink;
  readonly server: TrackingServer;
  readonly made: MadeSending;
  readonly idSubscriber: number;
  readonly idLink: number;
  /** The address of their page, at the tracking server. */
  readonly page: string;
  /** The message that they received. */
  readonly own: Received;
  /** Posts the form of the page. */
  forward(
    friends: readonly string[],
    of?: { readonly name?: string; readonly language?: string },
  ): Promise<Response>;
  /** Opens an address of a message at the tracking server. */
  open(address: string, init?: RequestInit): Promise<Response>;
  /** The message to an address, once it came. */
  messageTo(address: string): Promise<Received>;
  /** Waits until no forward of the site is queued or running. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface Received {
  readonly sunk: SunkMessage;
  /** All bytes as they came, and the subject and the parts decoded. */
  readonly text: string;
  readonly mail: Email;
}

/** Data of the forwarder; must not appear in any message to a friend. */
export const forwarderName = 'Zéphyrine';
/** Where the tracked link of the message leads; its tag is filled for who clicks. */
export const forwardedLink = 'https://shop.example/?who=[[FLD.101|anybody]]';

const html = `<html><body><h1>Dear [[FLD.101|reader]], number [[CONF.8]]</h1><p>[[FLD.1|no address]]</p>
<a href="${forwardedLink}">shop</a> <a href="[[LINK.FORWARD]]">forward</a> <a href="[[LINK.MIRROR]]">mirror</a>
<a href="[[LINK.UNSUB]]">unsubscribe</a></body></html>`;

/** Sends a campaign with a link to forward it to one reader, over a real SMTP sink, and serves tracked addresses. */
export async function forwarding(
  test: TestApp,
  options: SinkOptions & { readonly isTest?: boolean } = {},
): Promise<Forwarding> {
  const { db, app } = test;
  const sending = new SendingTester(test);
  const sink = await sending.relay({ keepRaw: true, ...options });
  const { id: idLink } = await db.one<{ id: number }>(sql`
    insert into ${db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${(await makeJob(db)).idCampaign}, ${forwardedLink}, ${forwardedLink}, 'campaign', '{}', now())
    returning id`);
  const made = await makeSending(db, {
    recipients: 1,
    html,
    text: 'Dear [[FLD.101|reader]] [[LINK.FORWARD]]',
    links: [{ url: forwardedLink, id: idLink }],
    fields: [1, 101].map((id) => ({ id, fieldType: 'Text' })),
    isTest: options.isTest ?? false,
  });
  const { id: idSubscriber } = await db.one<{ id: number }>(sql`
    update ${db.t.subscriber} set fld101 = ${forwarderName}
    where fld1 like ${`r1-${made.idJob}@%`} returning fld0 as id`);
  const server = await trackingServer(app);
  sending.atEnd(() => server.close());
  sending.engine();
  const open = (address: string, init: RequestInit = {}) =>
    fetch(server.url + new URL(address).pathname, {
      redirect: 'manual',
      ...init,
      headers: { 'user-agent': browser, ...init.headers },
    });
  const messageTo = async (address: string) => {
    await until(() => sink.messages.some(({ to }) => to === address), `a message to ${address}`);
    return received(sink.messages.find(({ to }) => to === address)!);
  };
  const own = await messageTo(`r1-${made.idJob}@example.org`);
  const page = /http:\/\/mail\.test\/f\/[\w-]+/.exec(own.mail.html!)![0];
  return {
    ...{ sink, server, made, idSubscriber, idLink, own, page, open, messageTo },
    forward(friends, { name = '', language = 'en' } = {}) {
      const body = new URLSearchParams([
        ...friends.map((one) => ['friend', one] as [string, string]),
        ['name', name],
      ]);
      return open(page, { method: 'POST', body, headers: { 'accept-language': language } });
    },
    settled: () => untilSinglesOver(db),
    close: () => sending.end(),
  };
}

/** Waits until no single message of the site is queued or running. */
export async function untilSinglesOver(db: SiteDb): Promise<void> {
  const left = sql`select from ${db.t.single_message} where state >= ${singleStates.pending} limit 1`;
  const isOver = async () => (await db.first(left)) === undefined;
  await until(isOver, 'the single messages are over');
}

async function received(sunk: SunkMessage): Promise<Received> {
  const mail = await PostalMime.parse(sunk.raw!);
  const raw = sunk.raw!.toString('latin1');
  return { sunk, mail, text: [raw, mail.subject, mail.html, mail.text].join('\n') };
}
