import { type SmtpSink, type SunkMessage, smtpSink } from '../smtp-sink.ts';
import type { Answer, LinkName } from './plan.ts';

/** The addresses that a message brought to its reader, and where its reports go. */
export interface Letter {
  readonly returnPath: string;
  readonly pixel: string;
  readonly links: Readonly<Record<LinkName, string>>;
  readonly forward: string;
  readonly oneClick: string;
}

/** The mail servers of all readers: answers by reader, and the letters of those who do something. */
export interface Inbox {
  readonly port: number;
  /** Letters of each reader in the order in which they came; friends have theirs too. */
  readonly letters: ReadonlyMap<string, Letter[]>;
  /** Messages taken. */
  readonly taken: { count: number };
  close(): Promise<void>;
}

/**
 * @param answerTo what the relay says to a recipient
 * @param isKept whether a recipient's letters are read
 */
export async function openInbox(
  answerTo: (email: string) => Answer,
  isKept: (email: string) => boolean,
): Promise<Inbox> {
  const letters = new Map<string, Letter[]>();
  const taken = { count: 0 };
  const sink: SmtpSink = await smtpSink({
    keepRaw: true,
    misdeed: (to) => {
      const answer = answerTo(to);
      if (answer === 'accepted') return undefined;
      return answer === 'noMailbox' ? { rcpt: '550 5.1.1 User unknown' } : 'refuseData';
    },
    onMessage(message) {
      taken.count += 1;
      if (isKept(message.to)) letters.set(message.to, [...(letters.get(message.to) ?? []), read(message)]);
      // It would keep them all.
      sink.messages.length = 0;
    },
  });
  return { port: sink.port, letters, taken, close: () => sink.close() };
}

function read({ from, raw }: SunkMessage): Letter {
  const text = raw!.toString('latin1');
  // Quoted-printable; the addresses are ASCII.
  const html = text
    .slice(text.indexOf('text/html'))
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const hrefs = (path: string) =>
    [...html.matchAll(new RegExp(`(?:href|src)="([^"]+/${path}/[^"]+)"`, 'g'))].map(
      ([, address]) => address!,
    );
  const [first = '', second = '', advertisement = ''] = hrefs('r');
  const unfolded = text.slice(0, text.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return {
    returnPath: from,
    pixel: hrefs('o')[0] ?? '',
    links: {
      first,
      second,
      advertisement,
      mirror: hrefs('m')[0] ?? '',
      unsubscription: hrefs('u')[0] ?? '',
    },
    forward: hrefs('f')[0] ?? '',
    oneClick: /^List-Unsubscribe: .*<(https?:[^>]+)>/im.exec(unfolded)?.[1] ?? '',
  };
}
