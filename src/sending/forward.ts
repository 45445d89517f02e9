import { assembleContent, bodyOf } from '../contents/assemble-content.ts';
import { moved } from '../contents/spans.ts';
import { escapeHtml } from '../contents/tag-escape.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type FrozenJob, sourceOf } from './frozen-job.ts';
import type { HeldForward } from './single-message.ts';

/** Limits of forwarding; above them nothing is sent. */
export const forwardLimits = {
  /** Recipients in one form. */
  atOnce: 5,
  /** Recipients of one forwarder for one message. */
  perMessage: 10,
  /** Recipients of one forwarder in 24 hours. */
  perDay: 20,
  /** Messages to one address from one site in 24 hours. */
  perFriendADay: 3,
} as const;

const maxNameLength = 40;

/**
 * Returns a forwarder's name in its normal form: letters, spaces, hyphens, apostrophes, and dots after initials.
 * Strangers see it, so it must not contain an address that mail programs turn into a link.
 * @returns '' for none, undefined for an invalid name
 */
export function forwarderName(text: string): string | undefined {
  if (text.length > 10 * maxNameLength) return undefined;
  const name = text.normalize('NFC').trim().replace(/\s+/g, ' ');
  const isName = /^(?:\p{L}[\p{L}\p{M}'’ .-]*)?$/u.test(name) && !/\.[^ ]/.test(name);
  return isName && name.length <= maxNameLength ? name : undefined;
}

/** The hash by which a site recognises an address whose text is deleted. Upper and lower case are equal. */
export function friendHash(secrets: Secrets, idSite: number, email: string): Buffer {
  return secrets.sign('forward', Buffer.from(`${idSite} ${email.toLowerCase()}`));
}

interface Words {
  readonly who: (name: string) => string;
  readonly why: string;
  readonly stop: string;
}

const words: Readonly<Record<HeldForward['language'], Words>> = {
  en: {
    who: (name) => `${name === '' ? 'A reader' : name} forwarded this message to you.`,
    why: 'It comes to you this once, and puts you on no list.',
    stop: 'Stop forwarded messages',
  },
  fr: {
    who: (name) => `${name === '' ? 'Une personne qui nous lit' : name} vous a transféré ce message.`,
    why: 'Il vous est envoyé cette seule fois, et ne vous inscrit sur aucune liste.',
    stop: 'Ne plus me transférer de messages',
  },
  de: {
    who: (name) => `Diese Nachricht wurde Ihnen weitergeleitet${name === '' ? '' : ` von ${name}`}.`,
    why: 'Sie erhalten sie nur dieses eine Mal und stehen deshalb auf keiner Liste.',
    stop: 'Mir keine Nachrichten mehr weiterleiten',
  },
  es: {
    who: (name) => `Le han reenviado este mensaje${name === '' ? '' : `: ${name}`}.`,
    why: 'Lo recibe solo esta vez y no queda inscrito en ninguna lista.',
    stop: 'No reenviarme más mensajes',
  },
  it: {
    who: (name) => `Questo messaggio le è stato inoltrato${name === '' ? '' : ` da ${name}`}.`,
    why: 'Lo riceve solo questa volta e non viene iscritto ad alcuna lista.',
    stop: 'Non inoltrarmi più messaggi',
  },
};

/**
 * The job of a sending as its message is built for a forward recipient: the same contents below a line that names the
 * forwarder and the reason. Tags are filled for no subscriber, so it shows nothing about the forwarder. Its unsubscribe
 * link and header block further forwards to the recipient.
 */
export function forwardedJob(
  frozen: FrozenJob,
  idSent: number,
  { name, language, at }: Pick<HeldForward, 'name' | 'language'> & { readonly at: Date },
): FrozenJob {
  const { subject, conf, spans = [], ...source } = sourceOf(frozen, idSent);
  const { who, why, stop } = words[language];
  const style = 'margin:0 0 16px;padding:12px;background:#f2f2f2;color:#1a1a1a;font:14px/1.4 sans-serif';
  const headerHtml =
    `<div style="${style}"><strong>${escapeHtml(who(name))}</strong> ${escapeHtml(why)} ` +
    `<a href="[[LINK.UNSUB]]" style="color:#0b57d0">${escapeHtml(stop)}</a></div>`;
  const headerTxt = `${who(name)} ${why}\r\n${stop}: [[LINK.UNSUB]]\r\n`;
  const frame = { headerHtml, headerTxt, footerHtml: '', footerTxt: '', unsubHtml: '', unsubTxt: '' };
  return {
    ...frozen,
    source: {
      ...source,
      ...assembleContent(frame, source),
      // The header moved everything behind it, including the links of advertisements.
      spans: moved(spans, bodyOf(source.html).start, headerHtml.length),
      recipientAlias: '',
      hasListUnsubscribe: true,
      // The recipient is on no list.
      listId: '',
    },
    // Dated by the request: spam filters distrust messages with an old date.
    sents: [
      {
        subject: /^fwd:/i.test(subject) ? subject : `Fwd: ${subject}`,
        conf: { ...conf, date: at.toISOString() },
      },
    ],
  };
}
