import { timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { readReturnPath } from '../activity/return-path.ts';
import type { App } from '../platform/app.ts';
import { Batcher } from '../platform/batcher.ts';
import { isConnectionLost } from '../platform/db/database.ts';
import { mailboxLogin } from '../platform/mailbox-login.ts';
import { plainAddress } from '../platform/network.ts';
import { refusalLog } from '../platform/refusal-log.ts';
import { enterReport } from './enter-report.ts';
import { type LostReports, lostReports } from './lost-reports.ts';
import { countDeliveries, type Delivery, keepDeliveries } from './mailbox-store.ts';
import { expiryOf, subjectOf } from './message-head.ts';
import { readReport } from './report.ts';
import { roleAddresses, roleAddressOf } from './role-address.ts';
import { claimedRecipient } from './signed-claims.ts';
import { type AdmissionLimits, SmtpAdmission, usualAdmission } from './smtp-admission.ts';

/** Maximum size of a report from outside, with the returned message. */
const maxReportBytes = 2 * 1024 * 1024;
/** Maximum size of a message from our own engine to the mailbox. */
const maxMessageBytes = 25 * 1024 * 1024;
const maxClients = 200;
/** Maximum number of return paths in one report from outside; a mail system names one. */
const maxReportPaths = 10;
/** Maximum size of a message to a role address; RFC 5321 4.5.3.1.7 requires 64 kB. */
const maxRoleBytes = 256 * 1024;
/** Maximum number of stored messages to role addresses in an hour, so that a flood leaves room for the next hour. */
const maxRoleMailPerHour = 100;
/** The local part for feedback loops that send all complaints to one address. */
const feedbackLocalPart = 'fbl';

/**
 * How long the database may be unavailable before a sender gets a temporary error: less than a session may be silent.
 */
const patienceMs = 45_000;

export interface SmtpListener {
  /** The actual port, if the requested one was 0. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Receives mail at the SMTP port. Anyone may write to a return path that we signed, to the feedback-loop address, and
 * to `postmaster` and `abuse` at our domains. Everything else is refused at RCPT, so this is not an open relay. The
 * built-in mailbox stores the mail to these two addresses, and messages of our own engine, signed in, that have no
 * relay. It replies “250” only after the commit.
 * @param registry counts reports without a known recipient.
 * @param limits for tests: other connection limits.
 */
export async function startSmtpListener(
  app: App,
  port = app.config.smtpPort,
  registry = new Registry(),
  limits: Partial<AdmissionLimits> = {},
): Promise<SmtpListener> {
  const name = new URL(app.publicUrl).hostname;
  const note = refusalLog(app.log.child({ part: 'smtp' }));
  const door = new SmtpAdmission({ ...usualAdmission(app.config.trustedProxies), ...limits }, name, note);
  const mailbox = new Batcher<Delivery>((deliveries) => keep(app, deliveries), 200);
  const lost = lostReports(app.log, registry);
  const server = new SMTPServer({
    name,
    banner: 'Facteur',
    // There is no certificate of the installation yet, and a shared one would only look safe.
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    disableReverseLookup: true,
    size: maxMessageBytes,
    maxClients,
    socketTimeout: 60_000,
    logger: false,
    onAuth(auth, session, done) {
      const { user } = mailboxLogin(app.secrets);
      const isOurs = auth.username === user && isPassword(app, auth.password ?? '') && isLoopback(session);
      if (isOurs) door.knows(session);
      else note('wrong SMTP sign-in', plainAddress(session.remoteAddress));
      done(isOurs ? null : smtpError(535, 'Authentication failed'), isOurs ? { user } : undefined);
    },
    onRcptTo({ address }, session, done) {
      if (session.user) return done(null);
      admit(app, address, session).then(
        (refusal) => {
          if (refusal?.responseCode !== 550) door.knows(session);
          done(refusal);
        },
        (error: Error) => {
          app.log.error({ err: error }, 'recipient could not be checked');
          done(smtpError(451, '4.3.0 Try again later'));
        },
      );
    },
    onData(stream, session, done) {
      receive(app, { mailbox, lost }, stream, session).then(
        () => done(null),
        (error: Error & { responseCode?: number }) => {
          if (!error.responseCode) app.log.error({ err: error }, 'incoming message not stored');
          done(error.responseCode ? error : smtpError(451, '4.3.0 Not stored; try again later'));
        },
      );
    },
  });
  door.guard(server);
  // A client that aborts is not an error.
  server.on('error', (error) => app.log.debug({ err: error }, 'smtp session'));
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, () => resolve());
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * Stores messages. After an in-doubt commit they may be stored or not, and “retry later” would store them twice; so the
 * database is asked again until it responds, while the sender waits.
 */
async function keep(app: App, deliveries: readonly Delivery[]): Promise<void> {
  let end: number | undefined;
  for (;;) {
    try {
      return await keepDeliveries(app.control, deliveries, end !== undefined);
    } catch (error) {
      if (end === undefined ? !isConnectionLost(error) : performance.now() > end) throw error;
      end ??= performance.now() + patienceMs;
    }
    await sleep(200);
  }
}

async function receive(
  app: App,
  { mailbox, lost }: { readonly mailbox: Batcher<Delivery>; readonly lost: LostReports },
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<void> {
  const raw = await readAll(stream, session.user ? maxMessageBytes : maxReportBytes);
  const receivedAt = app.clock.now();
  const { mailFrom, rcptTo } = session.envelope;
  const from = mailFrom ? mailFrom.address : '';
  const of = { receivedAt, mailFrom: from, subject: subjectOf(raw), expiresAt: expiryOf(raw), raw };
  const addresses = rcptTo.map((to) => to.address);
  if (session.user) {
    await Promise.all(addresses.map((rcptTo) => mailbox.add({ ...of, rcptTo })));
    return;
  }
  const roles = await Promise.all(addresses.map((address) => roleAddressOf(app, address)));
  const kept = [...new Set(roles.filter((role) => role !== undefined))];
  if (kept.length > 0 && raw.length > maxRoleBytes) throw smtpError(552, '5.3.4 Message too big');
  const reported = addresses.filter((_, i) => roles[i] === undefined);
  if (reported.length > 0)
    await takeReport(app, { raw, addresses: reported, at: receivedAt, isNullSender: from === '' }, lost);
  // Anyone may set an Expires there, but the administrator must see the message.
  await Promise.all(kept.map((rcptTo) => mailbox.add({ ...of, expiresAt: null, rcptTo })));
  // Neither sender nor content: personal addresses do not belong in a log.
  if (kept.length > 0)
    app.log.info({ to: kept, bytes: raw.length }, 'mail to a role address stored in the mailbox');
}

/** Returns the refusal of a recipient for a client that is not our own engine; null if it is accepted. */
async function admit(app: App, address: string, { envelope }: SMTPServerSession): Promise<SmtpError | null> {
  const role = await roleAddressOf(app, address);
  const isForReports = readReturnPath(app.secrets, address) !== undefined || isFeedbackAddress(app, address);
  if (role === undefined && !isForReports) return smtpError(550, '5.1.1 No such mailbox here');
  if (envelope.rcptTo.length >= maxReportPaths) return smtpError(452, '4.5.3 Too many recipients');
  if (role === undefined) return null;
  const hourAgo = new Date(app.clock.now().getTime() - 3_600_000);
  const came = await countDeliveries(app.control, roleAddresses(app), hourAgo);
  return came < maxRoleMailPerHour
    ? null
    : smtpError(452, '4.2.2 Too many messages to this mailbox; try again later');
}

/** A message from outside, and our addresses that it was sent to. */
interface Received {
  readonly raw: Buffer;
  readonly addresses: readonly string[];
  readonly at: Date;
  readonly isNullSender: boolean;
}

/**
 * Counts a report, parsed once for all its return paths. A report that is unreadable or has no known recipient is
 * reported and accepted: a retry would not help, and feedback loops end when they get refusals.
 */
async function takeReport(app: App, received: Received, lost: LostReports): Promise<void> {
  const { raw, addresses, at } = received;
  const report = await readReport(raw, received).catch((error: unknown) => {
    lost.unreadable(error, raw.length);
    return undefined;
  });
  if (!report) return;
  for (const address of addresses) {
    const isFeedback = isFeedbackAddress(app, address);
    // Outlook's JMRP and other loops attach the message that a reader complained about, without the report of RFC 5965.
    const said = isFeedback && report.isForwarded ? { ...report, kind: 'complaint' as const } : report;
    const of = isFeedback ? claimedRecipient(app.secrets, said) : readReturnPath(app.secrets, address);
    if (of === undefined) lost.nameless(said, raw.length);
    else await enterReport(app, said, of, at);
  }
}

function isFeedbackAddress(app: App, address: string): boolean {
  return address.toLowerCase() === `${feedbackLocalPart}@${new URL(app.publicUrl).hostname}`;
}

async function readAll(stream: SMTPServerDataStream, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      // The excess is read and dropped, because the reply can only follow the message.
      if (size <= maxBytes) chunks.push(chunk);
    }
  } catch {
    // The client aborted, as our own engine does at a pause: there is no message, and no error.
    throw smtpError(451, '4.4.2 The message was aborted');
  }
  if (size > maxBytes) throw smtpError(552, '5.3.4 Message too big');
  return Buffer.concat(chunks);
}

function isPassword(app: App, given: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(mailboxLogin(app.secrets).password)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isLoopback(session: SMTPServerSession): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(session.remoteAddress);
}

type SmtpError = Error & { readonly responseCode: number };

function smtpError(responseCode: number, message: string): SmtpError {
  return Object.assign(new Error(message), { responseCode });
}
