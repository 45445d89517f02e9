import { createTransport } from 'nodemailer';
import type { App } from './app.ts';
import { mailboxLogin } from './mailbox-login.ts';

/** A message of the service's own to the people who work with it; plain text. */
export interface Notice {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The same for each try to send it, so that mail systems can tell a copy that a crash made: `import-1-7`. */
  readonly id?: string;
}

/**
 * Sends a notice through FACTEUR_SMTP_URL, or leaves it in the built-in mailbox. To be called from a task, which tries
 * again when this throws.
 * @throws Error when the relay is away or refuses the message.
 */
export async function sendNotice(app: App, { to, subject, text, id }: Notice): Promise<void> {
  const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 };
  const transport = createTransport({
    ...relayOf(app),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { hostname } = new URL(app.publicUrl);
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

function relayOf({ config, secrets }: App) {
  if (config.smtpUrl) return { url: config.smtpUrl };
  const { user, password } = mailboxLogin(secrets);
  return { host: '127.0.0.1', port: config.smtpPort, ignoreTLS: true, auth: { user, pass: password } };
}
