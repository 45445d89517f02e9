import { createHash } from 'node:crypto';
import { pageButton } from './unsubscribe-form.ts';

export type Language = 'en' | 'fr';

/** French when the reader's browser ranks it before English; the pages are in these two languages. */
export function languageOf(acceptLanguage: string | undefined): Language {
  let best: { language: Language; quality: number } | undefined;
  for (const range of (acceptLanguage ?? '').slice(0, 200).split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const language = tag.split('-')[0];
    if (language !== 'en' && language !== 'fr') continue;
    const q = parameters.map((one) => /^\s*q=([\d.]+)/.exec(one)?.[1]).find(Boolean);
    const quality = q === undefined ? 1 : Number(q);
    if (quality > (best?.quality ?? 0)) best = { language, quality };
  }
  return best?.language ?? 'en';
}

interface Words {
  readonly title: string;
  readonly text: string;
  /** Of the button, on the page that asks. */
  readonly button?: string;
}

/** The pages that readers see. `gone` is one page for every address that is not ours, whatever is wrong with it. */
const words = {
  ask: {
    en: {
      title: 'Unsubscribe',
      text: 'Do you no longer wish to receive our messages? Please confirm.',
      button: 'Unsubscribe',
    },
    fr: {
      title: 'Désinscription',
      text: 'Vous ne souhaitez plus recevoir nos messages ? Merci de confirmer.',
      button: 'Me désinscrire',
    },
  },
  done: {
    en: { title: 'You are unsubscribed', text: 'You will not receive our messages any more.' },
    fr: { title: 'Vous êtes désinscrit', text: 'Vous ne recevrez plus nos messages.' },
  },
  doneInTest: {
    en: {
      title: 'This was a test',
      text: 'The link works. It belongs to a test mailing, so that nobody was unsubscribed.',
    },
    fr: {
      title: 'Ceci était un test',
      text: 'Le lien fonctionne. Il provient d’un envoi de test : personne n’a été désinscrit.',
    },
  },
  notUnderstood: {
    en: {
      title: 'Nothing was changed',
      text: 'The request was not understood. Please open the link of the message again.',
    },
    fr: {
      title: 'Rien n’a été modifié',
      text: 'La demande n’a pas été comprise. Merci d’ouvrir à nouveau le lien du message.',
    },
  },
  gone: {
    en: { title: 'Page not found', text: 'This link is not valid. Please copy it whole from the message.' },
    fr: {
      title: 'Page introuvable',
      text: 'Ce lien n’est pas valide. Merci de le copier en entier depuis le message.',
    },
  },
  tooLarge: {
    en: {
      title: 'The page is too large',
      text: 'This message is too large to be shown here. Please read it in your mail program.',
    },
    fr: {
      title: 'La page est trop grande',
      text: 'Ce message est trop grand pour être affiché ici. Merci de le lire dans votre messagerie.',
    },
  },
  forwarded: {
    en: { title: 'Thank you', text: 'The message is on its way to your friends.' },
    fr: { title: 'Merci', text: 'Le message est en route vers vos amis.' },
  },
  tooManyForwards: {
    en: {
      title: 'Nothing was sent',
      text: 'You have forwarded as many messages as is possible for now.',
    },
    fr: {
      title: 'Rien n’a été envoyé',
      text: 'Vous avez transféré autant de messages qu’il est possible pour le moment.',
    },
  },
  notForwardable: {
    en: {
      title: 'This message cannot be forwarded on',
      text: 'It was forwarded to you by somebody who receives our messages. Only they can forward it.',
    },
    fr: {
      title: 'Ce message ne peut pas être transféré à nouveau',
      text: 'Il vous a été transféré par une personne qui reçoit nos messages. Elle seule peut le transférer.',
    },
  },
  askStop: {
    en: {
      title: 'No more forwarded messages',
      text:
        'This message was forwarded to you by one of our readers. ' +
        'Shall nobody forward our messages to you any more? Please confirm.',
      button: 'Do not forward to me',
    },
    fr: {
      title: 'Ne plus recevoir de messages transférés',
      text:
        'Ce message vous a été transféré par un de nos lecteurs. ' +
        'Souhaitez-vous que personne ne puisse plus vous transférer nos messages ? Merci de confirmer.',
      button: 'Ne plus me transférer',
    },
  },
  stopped: {
    en: { title: 'Noted', text: 'Our messages will not be forwarded to you any more.' },
    fr: { title: 'C’est noté', text: 'Nos messages ne vous seront plus transférés.' },
  },
  expired: {
    en: { title: 'This message has expired', text: 'Its sender does not show it any more.' },
    fr: { title: 'Ce message a expiré', text: 'Son expéditeur ne le montre plus.' },
  },
  later: {
    en: {
      title: 'Please try again',
      text: 'The page cannot be shown just now. Please try again in a moment.',
    },
    fr: {
      title: 'Veuillez réessayer',
      text: 'La page ne peut pas être affichée. Merci de réessayer dans un instant.',
    },
  },
} satisfies Record<string, Record<Language, Words>>;

export type PageName = keyof typeof words;

const style =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto 0;padding:0 1.5rem;color:#1a1a1a;' +
  'background:#fff}h1{font-size:1.5rem}label{display:block;margin:0 0 1rem}input{display:block;box-sizing:border-box;' +
  'width:100%;font:inherit;padding:.5rem;margin:.3rem 0;border:1px solid #767676;border-radius:.3rem}' +
  '[role=alert]{color:#b3261e}button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:.3rem;' +
  'background:#0b57d0;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid #f5b800;outline-offset:2px}' +
  'input:focus-visible{outline:3px solid #f5b800;outline-offset:1px}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** No script, no address of others, no frame around it; a form may only be sent to ourselves. */
export const pagePolicy =
  `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; ` +
  `frame-ancestors 'none'; base-uri 'none'`;

const rendered = new Map<string, Buffer>();

/** A whole page. Its form, where it has one, posts to the address that the page itself was read from. */
export function pageHtml(name: PageName, language: Language): Buffer {
  const key = `${name} ${language}`;
  const known = rendered.get(key);
  if (known) return known;
  const { title, text, button }: Words = words[name][language];
  const form = button
    ? `<form method="post"><button name="${pageButton.name}" value="${pageButton.value}">${button}</button></form>`
    : '';
  const html = wholePage(language, title, `<p>${text}</p>${form}`);
  rendered.set(key, html);
  return html;
}

/** A page of ours around what stands below its title; both are HTML. */
export function wholePage(language: Language, title: string, body: string): Buffer {
  return Buffer.from(
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>` +
      `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${style}</style></head>` +
      `<body><main><h1>${title}</h1>${body}</main></body></html>`,
  );
}
