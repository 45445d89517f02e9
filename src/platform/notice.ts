import { createTransport } from 'nodemailer';
import type { App } from './app.ts';
import { mailboxLogin } from './mailbox-login.ts';
import type { TlsMode } from './tls-mode.ts';

/** A message of the service's own to the people who work with it; plain text. */
export interface Notice {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Message identifier, the same for each attempt, by which mail systems drop copies: `import-1-7`. */
  readonly id?: string;
}

/** A relay that takes notices, and how a connection to it is protected. */
export interface NoticeRelay {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsMode;
  /** Null: it requests nobody's name. */
  readonly username: string | null;
  readonly password: string | null;
}

/** A recipient that a relay refused while it took the message for others. */
interface RefusedRecipient {
  readonly address: string;
  /** The relay's SMTP code; undefined if it gave none. */
  readonly code: number | undefined;
}

/**
 * Sends a notice by the first relay that accepts it; without relays, it goes to the built-in mailbox. Recipients that a
 * relay rejects are attempted by the next ones. Recipients that every relay rejects are logged and cause no error: a
 * retried task would write to the others once more.
 * @throws Error of the first relay if no recipient was accepted
 */
export async function sendNotice(app: App, notice: Notice, relays: readonly NoticeRelay[]): Promise<void> {
  const failures: unknown[] = [];
  let isTaken = false;
  let left: readonly RefusedRecipient[] = notice.to.map((address) => ({ address, code: undefined }));
  for (const settings of relays.length > 0 ? relays.map(settingsOf) : [mailboxOf(app)]) {
    try {
      const to = left.map(({ address }) => address);
      left = await sendBy(app, settings, { ...notice, to });
      if (left.length === 0) return;
      isTaken = true;
    } catch (error) {
      failures.push(error);
    }
  }
  if (!isTaken) throw failures[0];
  // Only the domains: a log holds no people's addresses.
  const refused = left.map(({ address, code }) => ({ domain: address.split('@').at(-1), code }));
  const recipients = notice.to.length;
  app.log.warn({ notice: notice.id, recipients, refused }, 'a notice did not reach all of its recipients');
}

/** Returns the recipients that the relay rejected. @throws Error if it rejected all, or the message */
async function sendBy(
  app: App,
  settings: object,
  { to, subject, text, id }: Notice,
): Promise<RefusedRecipient[]> {
  const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 };
  const { hostname } = new URL(app.publicUrl);
  const transport = createTransport({
    ...settings,
    ...timeouts,
    name: hostname,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const from = { name: 'Facteur', address: `facteur@${hostname}` };
  // Addresses as objects: a text would be parsed, and could hold more than one.
  const recipients = to.map((address) => ({ name: '', address }));
  try {
    const { rejected = [], rejectedErrors = [] } = await transport.sendMail({
      from,
      to: recipients,
      subject,
      text,
      ...(id !== undefined && { messageId: `<${id}@${hostname}>` }),
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return rejected.map((address, i) => ({ address, code: rejectedErrors[i]?.responseCode }));
  } finally {
    transport.close();
  }
}

/** TLS as campaigns have it: what is requested must be there, and certificates are verified. */
function settingsOf({ host, port, tls, username, password }: NoticeRelay) {
  return {
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(username !== null && { auth: { user: username, pass: password ?? '' } }),
  };
}

function mailboxOf({ config, secrets }: App) {
  const { user, password } = mailboxLogin(secrets);
  return { host: '127.0.0.1', port: config.smtpPort, ignoreTLS: true, auth: { user, pass: password } };
}
