import { Agent as HttpAgent, request } from 'node:http';
import { createTransport } from 'nodemailer';
import { complaint, dsn, plain } from '../reports.ts';
import type { Inbox, Letter } from './inbox.ts';
import { type Act, agents, type Report, reports, type Story } from './plan.ts';

/** Readers who do something at a time. */
const readersAtOnce = 24;
const reportsAtOnce = 8;

/** One message and its fate. */
export interface Played {
  readonly email: string;
  readonly letter: Letter;
  readonly story: Story;
}

/** Plays all stories over HTTP and SMTP: what readers do, then what their friends do, then the reports. */
export async function playReaders(
  service: { readonly url: string; readonly smtpPort: number },
  inbox: Inbox,
  played: readonly Played[],
): Promise<void> {
  const http = new HttpClient(service.url);
  const acting = played.filter(({ story }) => story.acts.length > 0);
  await eachOf(acting, readersAtOnce, async (one) => {
    for (const act of one.story.acts) if (act.kind !== 'friendClick') await http.play(act, one);
  });
  const forwarding = acting.filter(({ story }) => story.acts.some(({ kind }) => kind === 'forward'));
  await eachOf(forwarding, readersAtOnce, async (one) => {
    const clicks = one.story.acts.filter(({ kind }) => kind === 'friendClick');
    const letter = await letterOf(inbox, friendOf(one));
    for (const _ of clicks) await http.follow(letter.links.first, agents.phone);
  });
  http.close();
  const reporting = played.filter(({ story }) => story.report !== undefined);
  const transport = createTransport({
    host: '127.0.0.1',
    port: service.smtpPort,
    pool: true,
    maxConnections: reportsAtOnce,
    maxMessages: 1_000_000,
    ignoreTLS: true,
  });
  await eachOf(reporting, reportsAtOnce, async ({ email, letter, story }) => {
    const raw = reportOf(story.report!, email, letter.returnPath);
    await transport.sendMail({ envelope: { from: '', to: letter.returnPath }, raw });
  });
  transport.close();
}

/** The friend to whom a reader forwards a message. */
export const friendOf = ({ email, letter }: { readonly email: string; readonly letter: Letter }): string =>
  `friend-of-${email.split('@')[0]}-${letter.returnPath.length}@friends.test`;

/** Whether the address is a friend's. */
export const isFriend = (email: string): boolean => email.endsWith('@friends.test');

async function letterOf(inbox: Inbox, email: string): Promise<Letter> {
  for (let left = 600; left > 0; left -= 1) {
    const [letter] = inbox.letters.get(email) ?? [];
    if (letter) return letter;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`No message came to ${email} within a minute`);
}

function reportOf(report: Report, email: string, to: string): string {
  if (report === 'complaint') return complaint({ to });
  if (report === 'autoReply') {
    const headers = 'Auto-Submitted: auto-replied';
    return plain({ to, from: email, subject: 'Out of office', headers, text: 'I am away until Monday.' });
  }
  return dsn({ to, recipient: email, ...reports[report] });
}

/** Calls `work` for each element, at most `atOnce` at a time. */
async function eachOf<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async () => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Readers' programs, whose connections stay open. */
class HttpClient {
  readonly #base: URL;
  readonly #agent = new HttpAgent({ keepAlive: true, maxSockets: readersAtOnce });
  #asked = 0;

  constructor(base: string) {
    this.#base = new URL(base);
  }

  async play(act: Act, one: Played): Promise<void> {
    const { letter } = one;
    if (act.kind === 'open') return this.#expect(200, 'GET', letter.pixel, agents[act.by]);
    if (act.kind === 'click') {
      if (act.link === 'mirror' || act.link === 'unsubscription')
        return this.#expect(200, 'GET', letter.links[act.link], agents[act.by]);
      return this.follow(letter.links[act.link], agents[act.by]);
    }
    if (act.kind === 'forward')
      return this.#expect(200, 'POST', letter.forward, agents.computer, { friend: friendOf(one), name: '' });
    if (act.kind !== 'unsubscribe') return;
    if (act.how === 'oneClick')
      return this.#expect(200, 'POST', letter.oneClick, agents.computer, {
        'List-Unsubscribe': 'One-Click',
      });
    return this.#expect(200, 'POST', letter.links.unsubscription, agents.phone, { confirm: 'yes' });
  }

  follow(address: string, userAgent: string): Promise<void> {
    return this.#expect(302, 'GET', address, userAgent);
  }

  close(): void {
    this.#agent.destroy();
  }

  #nextAddress(): string {
    this.#asked += 1;
    return `10.${(this.#asked >> 8) & 255}.${this.#asked & 255}.1`;
  }

  /** Asks this machine for an address of the service's public name. */
  #expect(
    status: number,
    method: string,
    address: string,
    userAgent: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { pathname, search } = new URL(address);
    const body = form && new URLSearchParams(form).toString();
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          host: this.#base.hostname,
          port: this.#base.port,
          path: pathname + search,
          method,
          headers: {
            'user-agent': userAgent,
            // Each request comes from a network of its own: one address may forward less.
            'x-forwarded-for': this.#nextAddress(),
            ...(body && {
              'content-type': 'application/x-www-form-urlencoded',
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        (response) => {
          response.resume();
          response.once('error', reject).once('end', () => {
            if (response.statusCode === status) resolve();
            else reject(new Error(`${method} ${pathname} answered ${response.statusCode}, not ${status}`));
          });
        },
      );
      sent.once('error', reject).end(body);
    });
  }
}
