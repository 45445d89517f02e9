import { createTransport } from 'nodemailer';
import type { App } from './app.ts';
import { mailboxLogin } from './mailbox-login.ts';
import type { TlsMode } from './tls-mode.ts';

/** A message of the service's own to the people who work with it; plain text. */
export interface Notice {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The same for each try to send it, so that mail systems can tell a copy that a crash made: `import-1-7`. */
  readonly id?: string;
}

/** A relay that takes notices, and how a connection to it is protected. */
export interface NoticeRelay {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsMode;
  /** Null: it asks for nobody's name. */
  readonly username: string | null;
  readonly password: string | null;
}

/**
 * Sends a notice by the first of the relays that takes it; without any, leaves it in the built-in mailbox.
 * @throws Error of the first relay when none takes it.
 */
export async function sendNotice(app: App, notice: Notice, relays: readonly NoticeRelay[]): Promise<void> {
  const failures: unknown[] = [];
  for (const settings of relays.length > 0 ? relays.map(settingsOf) : [mailboxOf(app)]) {
    try {
      return await sendBy(app, settings, notice);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

async function sendBy(app: App, settings: object, { to, subject, text, id }: Notice): Promise<void> {
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
    await transport.sendMail({
      from,
      to: recipients,
      subject,
      text,
      ...(id !== undefined && { messageId: `<${id}@${hostname}>` }),
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } finally {
    transport.close();
  }
}

/** TLS as campaigns have it: what is asked for must be there, and certificates are verified. */
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
