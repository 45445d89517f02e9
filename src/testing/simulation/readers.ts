import { createTransport } from 'nodemailer';
import { waitFor } from '../../demo/terminal.ts';
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
  const http = readersOf(service.url);
  const acting = played.filter(({ story }) => story.acts.length > 0);
  await eachOf(acting, readersAtOnce, async (one) => {
    for (const act of one.story.acts) if (act.kind !== 'friendClick') await http.play(act, one);
  });
  const forwarding = acting.filter(({ story }) => story.acts.some(({ kind }) => kind === 'forward'));
  await eachOf(forwarding, readersAtOnce, async (one) => {
    const clicks = one.story.acts.filter(({ kind }) => kind === 'friendClick');
    const friend = friendOf(one);
    const letter = await waitFor(`a message to ${friend}`, async () => inbox.letters.get(friend)?.[0], 60);
    for (const _ of clicks) await http.follow(letter.links.first, agents.phone);
  });
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
const friendOf = ({ email, letter }: { readonly email: string; readonly letter: Letter }): string =>
  `friend-of-${email.split('@')[0]}-${letter.returnPath.length}@friends.test`;

/** Whether the address is a friend's. */
export const isFriend = (email: string): boolean => email.endsWith('@friends.test');

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

/** Readers' programs. */
function readersOf(base: string) {
  let asked = 0;

  /** Asks this machine for an address of the service's public name. */
  async function expectReply(
    status: number,
    method: string,
    address: string,
    userAgent: string,
    form?: Record<string, string>,
  ): Promise<void> {
    const { pathname, search } = new URL(address);
    asked += 1;
    // Each request comes from a network of its own: one address may forward less.
    const from = `10.${(asked >> 8) & 255}.${asked & 255}.1`;
    const response = await fetch(`${base}${pathname}${search}`, {
      method,
      redirect: 'manual',
      headers: { 'user-agent': userAgent, 'x-forwarded-for': from },
      ...(form && { body: new URLSearchParams(form) }),
    });
    await response.arrayBuffer();
    if (response.status !== status)
      throw new Error(`${method} ${pathname} answered ${response.status}, not ${status}`);
  }

  const follow = (address: string, userAgent: string) => expectReply(302, 'GET', address, userAgent);

  async function play(act: Act, one: Played): Promise<void> {
    const { pixel, links, forward, oneClick } = one.letter;
    if (act.kind === 'open') return expectReply(200, 'GET', pixel, agents[act.by]);
    if (act.kind === 'click') {
      const isPage = act.link === 'mirror' || act.link === 'unsubscription';
      return expectReply(isPage ? 200 : 302, 'GET', links[act.link], agents[act.by]);
    }
    if (act.kind === 'forward') {
      const form = { friend: friendOf(one), name: '' };
      return expectReply(200, 'POST', forward, agents.computer, form);
    }
    if (act.kind !== 'unsubscribe') return;
    if (act.how === 'page')
      return expectReply(200, 'POST', links.unsubscription, agents.phone, { confirm: 'yes' });
    return expectReply(200, 'POST', oneClick, agents.computer, { 'List-Unsubscribe': 'One-Click' });
  }

  return { follow, play };
}
