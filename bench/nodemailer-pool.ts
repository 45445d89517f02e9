/**
 * Sends personalised messages with nodemailer's pool, for bench/send. Arguments: port, connections, messages, and
 * `compose` (nodemailer makes the MIME from HTML and text) or `raw` (it is handed whole messages, made beforehand).
 * Prints messages per second and processor time as JSON.
 */
import { randomBytes } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { makeToken } from '../src/activity/link-token.ts';
import { makeReturnPath } from '../src/activity/return-path.ts';
import { Secrets } from '../src/platform/secrets.ts';
import { html, subject, text, urls } from './newsletter.ts';

const [port = 0, connections = 10, messages = 1000] = process.argv.slice(2, 5).map(Number);
const isRaw = process.argv[5] === 'raw';
const secrets = new Secrets(randomBytes(32));

type Filler = string | ((id: number) => string);

/** The content cut once at its tags and links, as a program that uses nodemailer with care would. */
function compile(source: string, escapeUrl: (url: string) => string): Filler[] {
  const targets = urls.map(escapeUrl);
  const parts = source.split(/(\[\[[^\]]+\]\]|https:\/\/shop[^"\s]+)/);
  return parts.map((part): Filler => {
    const link = targets.indexOf(part);
    if (link >= 0) return (id) => `http://mail.test/r/${token('click', id, link + 1)}`;
    if (part.startsWith('[[LINK')) return (id) => `http://mail.test/m/${token('mirror', id)}`;
    if (part.startsWith('[[FLD.40')) return (id) => String(75_000 + (id % 20));
    if (part.startsWith('[[FLD')) return (id) => `Zoé ${id}`;
    return part;
  });
}

function token(kind: 'click' | 'mirror' | 'unsub' | 'open', idSubscriber: number, idLink?: number): string {
  return makeToken(secrets, { kind, idSite: 1, idSent: 1, idSubscriber, ...(idLink && { idLink }) });
}

const fill = (parts: readonly Filler[], id: number) =>
  parts.map((part) => (typeof part === 'string' ? part : part(id))).join('');

const compiled = {
  html: compile(html, (url) => url.replaceAll('&', '&amp;')),
  text: compile(text, (url) => url),
  subject: compile(subject, (url) => url),
};

function messageFor(id: number) {
  const unsubscribe = `http://mail.test/u/${token('unsub', id)}`;
  const from = makeReturnPath(secrets, { idSite: 1, idSent: 1, idSubscriber: id }, 'mail.test');
  return {
    envelope: { from, to: `r${id}@example.org` },
    from: 'News <news@example.org>',
    to: `r${id}@example.org`,
    messageId: `<demo.1.${id}@mail.test>`,
    subject: fill(compiled.subject, id),
    html: `${fill(compiled.html, id)}<img src="http://mail.test/o/${token('open', id)}">`,
    text: fill(compiled.text, id),
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

const pool = createTransport({
  pool: true,
  host: '127.0.0.1',
  port,
  maxConnections: connections,
  maxMessages: Number.POSITIVE_INFINITY,
  ignoreTLS: true,
});

let raw: Buffer | undefined;
if (isRaw) {
  const made = await createTransport({ streamTransport: true, buffer: true }).sendMail(messageFor(1));
  raw = made.message as Buffer;
}

const start = performance.now();
let next = 1;
const senders = Array.from({ length: connections * 2 }, async () => {
  while (next <= messages) {
    const id = next++;
    const { envelope, ...message } = raw
      ? { envelope: { from: 'b@mail.test', to: `r${id}@example.org` } }
      : messageFor(id);
    await pool.sendMail(raw ? { envelope, raw } : { envelope, ...message });
  }
});
await Promise.all(senders);
const { user, system } = process.cpuUsage();
const perSecond = (messages * 1000) / (performance.now() - start);
process.stdout.write(JSON.stringify({ perSecond, cpuMs: (user + system) / 1000 / messages }));
pool.close();
