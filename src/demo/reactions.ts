import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import type { ApiClient } from './api-client.ts';

/** A message of the mailbox as its reader sees it. */
export interface Received {
  readonly to: string;
  readonly returnPath: string;
  readonly raw: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly pixel: string;
  readonly links: readonly string[];
  readonly forward: string;
  readonly oneClick: string;
}

interface Listed {
  readonly id: number;
  readonly mailFrom: string;
  readonly rcptTo: string;
  readonly subject: string;
}

/** The last `most` messages of the built-in mailbox whose envelope they match, newest first. */
export async function listMailbox(admin: ApiClient, most: number): Promise<Listed[]> {
  const all: Listed[] = [];
  while (all.length < most) {
    const page = await admin.get<{ items: Listed[] }>('/mailbox', {
      'filter.start': all.length,
      'filter.limit': Math.min(1_000, most - all.length),
    });
    all.push(...page.items.map((one) => ({ ...one, rcptTo: asciiAddress(one.rcptTo) })));
    if (page.items.length === 0) break;
  }
  return all;
}

/** The mailbox shows domains as they are read; a subscriber's email has them as DNS writes them. */
function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
}

/** Fetches a message raw and reads it as a mail program would. */
export async function readMessage(admin: ApiClient, listed: Listed): Promise<Received> {
  const { raw } = await admin.get<{ raw: string }>(`/mailbox/${listed.id}`);
  const email = await PostalMime.parse(Buffer.from(raw, 'latin1'));
  const html = email.html ?? '';
  const header = (name: string) => email.headers.find((one) => one.key === name)?.value ?? '';
  return {
    to: listed.rcptTo,
    returnPath: listed.mailFrom,
    raw,
    subject: email.subject ?? '',
    html,
    text: email.text ?? '',
    pixel: /<img[^>]+src="([^"]+\/o\/[^"]+)"/.exec(html)?.[1] ?? '',
    links: [...html.matchAll(/href="([^"]+\/r\/[^"]+)"/g)].map((match) => match[1]!),
    forward: /href="([^"]+\/f\/[^"]+)"/.exec(html)?.[1] ?? '',
    oneClick: /<(https?:[^>]+)>/.exec(header('list-unsubscribe'))?.[1] ?? '',
  };
}

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';
/** User agent of Apple's mail privacy proxy. */
const privacyProxy = 'Mozilla/5.0';

/** Loads the pixel, as a person's mail program does, or as the privacy proxy does for them. */
export async function open(
  base: string,
  message: Received,
  by: 'person' | 'proxy' = 'person',
): Promise<void> {
  const userAgent = by === 'person' ? phone : privacyProxy;
  const response = await fetch(local(base, message.pixel), { headers: { 'user-agent': userAgent } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`The pixel answered ${response.status}`);
}

/** Follows a tracked link up to the address that it leads to. */
export async function click(base: string, address: string): Promise<string> {
  const response = await fetch(local(base, address), {
    redirect: 'manual',
    headers: { 'user-agent': phone },
  });
  if (response.status !== 302) throw new Error(`A tracked link answered ${response.status}`);
  return response.headers.get('location') ?? '';
}

/** Unsubscribes as mail programs do at one click (RFC 8058 section 3.2). */
export async function unsubscribeByOneClick(base: string, message: Received): Promise<void> {
  const response = await fetch(local(base, message.oneClick), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`One-click unsubscription answered ${response.status}`);
}

/** Forwards a message by its page, as a reader does who fills in the form. */
export async function forwardTo(base: string, message: Received, friend: string): Promise<void> {
  const response = await fetch(local(base, message.forward), {
    method: 'POST',
    headers: { 'user-agent': phone },
    body: new URLSearchParams({ friend, name: '' }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`The page that forwards answered ${response.status}`);
}

/** Sends reports as a mail system does for mailboxes that do not exist: RFC 3464, to each message's return path. */
export async function bounce(smtpPort: number, messages: readonly Received[]): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, pool: true, ignoreTLS: true });
  for (const [number, { to, returnPath, raw }] of messages.entries()) {
    await transport.sendMail({
      envelope: { from: '', to: returnPath },
      raw: Buffer.from(deliveryReport(to, returnPath, raw, number), 'latin1'),
    });
  }
  transport.close();
}

function deliveryReport(to: string, returnPath: string, raw: string, number: number): string {
  const headers = raw.slice(0, raw.indexOf('\r\n\r\n'));
  const lines = [
    'From: Mail Delivery System <MAILER-DAEMON@mx.example>',
    `To: <${returnPath}>`,
    'Subject: Undelivered Mail Returned to Sender',
    `Message-ID: <demo-${Date.now()}-${number}@mx.example>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="report"',
    '',
    '--report',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    `Your message to <${to}> could not be delivered.`,
    '--report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    '',
    `Final-Recipient: rfc822; ${to}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
    '',
    '--report',
    'Content-Type: text/rfc822-headers',
    '',
    headers,
    '--report--',
    '',
  ];
  return lines.join('\r\n');
}

/** Rewrites a URL to the port where the service really listens: its public name may be another machine's. */
function local(base: string, address: string): string {
  const { pathname, search } = new URL(address);
  return `${base}${pathname}${search}`;
}
