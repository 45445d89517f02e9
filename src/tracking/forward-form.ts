import type { PageLanguage } from '../contents/page-language.ts';
import { escapeHtml } from '../contents/tag-escape.ts';
import { maxEmailLength, normaliseEmail } from '../platform/email-address.ts';
import { forwarderName, forwardLimits } from '../sending/forward.ts';
import { type Page, type PageFrame, wholePage } from './pages.ts';

/** Maximum size of a body; our form's is smaller. */
export const maxForwardBytes = 10_000;

/** The form as it was filled in. */
export interface ForwardInput {
  /** The addresses that are not empty. */
  readonly friends: readonly string[];
  readonly name: string;
}

/** An error in the form. `value` is the address or the name as written. */
export interface ForwardProblem {
  readonly kind: 'noFriend' | 'notAnAddress' | 'notAName';
  readonly value: string;
}

/** The distinct addresses in their stored form and the name, or the error. */
export type ForwardWish =
  | { readonly friends: readonly string[]; readonly name: string }
  | { readonly problem: ForwardProblem };

/** Reads the body of the form; undefined if it does not come from our form, so that a stray POST sends nothing. */
export function readForwardForm(contentType: string, body: string): ForwardInput | undefined {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)) return undefined;
  const form = new URLSearchParams(body);
  const written = form.getAll('friend');
  const [name = '', ...others] = form.getAll('name');
  if (written.length === 0 || written.length > forwardLimits.atOnce || others.length > 0) return undefined;
  return { friends: written.filter((text) => text.trim() !== ''), name };
}

export function forwardWish(input: ForwardInput): ForwardWish {
  if (input.friends.length === 0) return { problem: { kind: 'noFriend', value: '' } };
  const friends = new Map<string, string>();
  for (const value of input.friends) {
    const email = normaliseEmail(value);
    if (email === undefined) return { problem: { kind: 'notAnAddress', value } };
    friends.set(email.toLowerCase(), email);
  }
  const name = forwarderName(input.name);
  if (name === undefined) return { problem: { kind: 'notAName', value: input.name } };
  return { friends: [...friends.values()], name };
}

interface Words {
  readonly title: string;
  readonly text: string;
  readonly friends: string;
  readonly name: string;
  readonly button: string;
  readonly problems: Readonly<Record<ForwardProblem['kind'], (value: string) => string>>;
}

const words: Readonly<Record<PageLanguage, Words>> = {
  en: {
    title: 'Forward to a friend',
    text:
      `Give the email addresses of up to ${forwardLimits.atOnce} friends. The message is sent to each of them once, ` +
      'without any of your data. They are not added to any list.',
    friends: 'Your friends’ email addresses',
    name: 'Your name, as your friends will see it (optional)',
    button: 'Forward',
    problems: {
      noFriend: () => 'Please give at least one address.',
      notAnAddress: (value) => `“${value}” is not an email address.`,
      notAName: () => 'Please give your name in letters only, at most 40.',
    },
  },
  fr: {
    title: 'Transférer ce message',
    text:
      `Indiquez les adresses e-mail de ${forwardLimits.atOnce} personnes au plus. Le message est envoyé une ` +
      'fois à chacune, sans rien qui vous concerne ; personne n’est inscrit sur une liste.',
    friends: 'Les adresses e-mail',
    name: 'Votre nom, tel qu’il apparaîtra dans le message (facultatif)',
    button: 'Transférer',
    problems: {
      noFriend: () => 'Merci d’indiquer au moins une adresse.',
      notAnAddress: (value) => `« ${value} » n’est pas une adresse e-mail.`,
      notAName: () => 'Merci d’indiquer votre nom en lettres seulement, 40 au plus.',
    },
  },
  de: {
    title: 'Weiterleiten',
    text:
      `Geben Sie bis zu ${forwardLimits.atOnce} E-Mail-Adressen an. Die Nachricht wird an jede einmal gesendet, ` +
      'ohne Angaben über Sie; niemand wird in eine Liste aufgenommen.',
    friends: 'E-Mail-Adressen',
    name: 'Ihr Name, wie er in der Nachricht erscheint (freiwillig)',
    button: 'Weiterleiten',
    problems: {
      noFriend: () => 'Bitte geben Sie mindestens eine Adresse an.',
      notAnAddress: (value) => `„${value}“ ist keine E-Mail-Adresse.`,
      notAName: () => 'Bitte geben Sie Ihren Namen nur in Buchstaben an, höchstens 40.',
    },
  },
  es: {
    title: 'Reenviar',
    text:
      `Indique hasta ${forwardLimits.atOnce} direcciones de correo. El mensaje se envía una vez a cada una, ` +
      'sin nada acerca de usted; nadie queda inscrito en ninguna lista.',
    friends: 'Direcciones de correo',
    name: 'Su nombre, tal como aparecerá en el mensaje (opcional)',
    button: 'Reenviar',
    problems: {
      noFriend: () => 'Indique al menos una dirección.',
      notAnAddress: (value) => `«${value}» no es una dirección de correo.`,
      notAName: () => 'Indique su nombre solo con letras, 40 como máximo.',
    },
  },
  it: {
    title: 'Inoltra',
    text:
      `Indichi fino a ${forwardLimits.atOnce} indirizzi email. Il messaggio viene inviato una volta a ciascuno, ` +
      'senza nulla che la riguardi; nessuno viene iscritto ad alcuna lista.',
    friends: 'Indirizzi email',
    name: 'Il suo nome, come apparirà nel messaggio (facoltativo)',
    button: 'Inoltra',
    problems: {
      noFriend: () => 'Indichi almeno un indirizzo.',
      notAnAddress: (value) => `«${value}» non è un indirizzo email.`,
      notAName: () => 'Indichi il suo nome solo con lettere, al massimo 40.',
    },
  },
};

/** Maximum number of characters of a wrong value that the page repeats. */
const longestShown = 300;

/** The page with the form, which posts to the page's own address. An invalid form is shown again with its error. */
export function forwardPage(
  frame: PageFrame,
  again?: { readonly input: ForwardInput; readonly problem: ForwardProblem },
): Page {
  const { title, text, friends, name, button, problems } = words[frame.language];
  const shown = (value: string) => escapeHtml(value.slice(0, longestShown));
  const problem = again
    ? `<p role="alert">${problems[again.problem.kind](shown(again.problem.value))}</p>`
    : '';
  const inputs = Array.from({ length: forwardLimits.atOnce }, (_, at) => {
    const label = `${friends} (${at + 1})`;
    return (
      `<input name="friend" type="email" aria-label="${label}" maxlength="${maxEmailLength}" autocomplete="off" ` +
      `value="${shown(again?.input.friends[at] ?? '')}"${at === 0 ? ' required' : ''}>`
    );
  });
  return wholePage(
    frame,
    title,
    `<p>${text}</p>${problem}<form method="post"><p>${friends}</p>${inputs.join('')}` +
      `<label>${name}<input name="name" maxlength="40" value="${shown(again?.input.name ?? '')}"></label>` +
      `<button>${button}</button></form>`,
  );
}
