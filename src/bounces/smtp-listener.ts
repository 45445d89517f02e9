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
import { asComplaint, readReport } from './report.ts';
import { roleAddresses, roleAddressOf } from './role-address.ts';
import { claimedRecipient } from './signed-claims.ts';
import { type AdmissionLimits, SmtpAdmission, usualAdmission } from './smtp-admission.ts';

/** Bytes of a report from outside; the returned message may hang on it. */
const maxReportBytes = 2 * 1024 * 1024;
/** Bytes of a message that our own engine hands to the mailbox. */
const maxMessageBytes = 25 * 1024 * 1024;
const maxClients = 200;
/** Return paths that one report from outside may name; a mail system writes to one. */
const maxReportPaths = 10;
/** Bytes of a message to a role address; RFC 5321 4.5.3.1.7 requests 64 kB. */
const maxRoleBytes = 256 * 1024;
/** Messages to role addresses that are kept within an hour, so that a flood leaves room for the next hour. */
const maxRoleMailPerHour = 100;
/** Where feedback loops that know only one address send their complaints. */
const feedbackLocalPart = 'fbl';

/** How long a database may be away before a sender is told to retry: less than a session may be silent. */
const patienceMs = 45_000;

/** The listener at work. */
export interface SmtpListener {
  /** The one that was taken, where any was requested (0). */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Takes mail at the SMTP port. Anybody may write to a return path that we signed, to the feedback-loop address, and
 * to `postmaster` and `abuse` at our domains. Everything else is refused at RCPT, so this is no relay and no dump.
 * The built-in mailbox keeps the mail of these two addresses, and what our own engine, signed in, has no relay for.
 * “250” is answered after the commit, never before.
 * @param registry where reports whose recipient is not found are counted.
 * @param limits other limits of connections than the usual ones: for tests.
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
    // No certificate of the installation's own yet: offering one that everybody knows would only look safe.
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
          if (!error.responseCode) app.log.error({ err: error }, 'incoming message not kept');
          done(error.responseCode ? error : smtpError(451, '4.3.0 Not kept; try again later'));
        },
      );
    },
  });
  door.guard(server);
  // A client that aborts is no error of ours.
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
 * Keeps messages. When the answer of the commit is lost with its connection they may be kept or not, and “retry
 * later” would keep them twice: so it is asked until the database answers, while the sender waits.
 */
async function keep(app: App, deliveries: readonly Delivery[]): Promise<void> {
  try {
    await keepDeliveries(app.control, deliveries);
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    await keepAgain(app, deliveries);
  }
}

async function keepAgain(app: App, deliveries: readonly Delivery[]): Promise<void> {
  const end = performance.now() + patienceMs;
  for (;;) {
    await sleep(200);
    try {
      return await keepDeliveries(app.control, deliveries, true);
    } catch (error) {
      if (performance.now() > end) throw error;
    }
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
  // Anyone who writes there may set an Expires; the administrator is to see it all the same.
  await Promise.all(kept.map((rcptTo) => mailbox.add({ ...of, expiresAt: null, rcptTo })));
  // Neither who wrote nor what: a log is no place for people's addresses.
  if (kept.length > 0)
    app.log.info({ to: kept, bytes: raw.length }, 'mail to a role address kept in the mailbox');
}

/** Returns why a recipient is refused to a client that is not our own engine; null if it is accepted. */
async function admit(app: App, address: string, { envelope }: SMTPServerSession): Promise<SmtpError | null> {
  const role = await roleAddressOf(app, address);
  if (role === undefined && !isForReports(app, address)) return smtpError(550, '5.1.1 No such mailbox here');
  if (envelope.rcptTo.length >= maxReportPaths) return smtpError(452, '4.5.3 Too many recipients');
  if (role === undefined) return null;
  const hourAgo = new Date(app.clock.now().getTime() - 3_600_000);
  const came = await countDeliveries(app.control, roleAddresses(app), hourAgo);
  return came < maxRoleMailPerHour
    ? null
    : smtpError(452, '4.2.2 Too many messages to this mailbox; try again later');
}

/** A message from outside, and the addresses of ours that it came to. */
interface Received {
  readonly raw: Buffer;
  readonly addresses: readonly string[];
  readonly at: Date;
  readonly isNullSender: boolean;
}

/**
 * Counts a report, read once however many return paths it came to. One that cannot be read, or whose recipient cannot
 * be found, is told and taken: sent again it would be no better, and feedback loops end themselves when they get
 * refusals.
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
    const said = isFeedback && report.isForwarded ? asComplaint(report) : report;
    const of = isFeedback ? claimedRecipient(app.secrets, said) : readReturnPath(app.secrets, address);
    if (of === undefined) lost.nameless(said, raw.length);
    else await enterReport(app, said, of, at);
  }
}

function isForReports(app: App, address: string): boolean {
  return readReturnPath(app.secrets, address) !== undefined || isFeedbackAddress(app, address);
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
      // What is over the limit is read to its end and dropped: the answer can only follow the message.
      if (size <= maxBytes) chunks.push(chunk);
    }
  } catch {
    // The client aborted, as our own engine does at a pause: no message, and nothing to complain of.
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
