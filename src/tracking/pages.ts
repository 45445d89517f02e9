import { createHash } from 'node:crypto';
import type { PageLanguage } from '../contents/page-language.ts';
import { escapeHtml } from '../contents/tag-escape.ts';
import { type PageName, type PageWords, pageWords } from './page-words.ts';
import { pageButton, undoButton } from './unsubscribe-form.ts';

/** The frame of a page, around its words. */
export interface PageFrame {
  readonly language: PageLanguage;
  /** The sender's name. */
  readonly sender?: string;
  /** The reader's address, masked. */
  readonly email?: string;
  /** `#rrggbb` */
  readonly color?: string;
  /** An http or https address without quotes. */
  readonly logo?: string;
}

/** A whole page, and the Content-Security-Policy that fits it. */
export interface Page {
  readonly html: Buffer;
  readonly policy: string;
}

const style =
  '.sender{display:flex;gap:.75rem;align-items:center;margin:0 0 1.5rem;font-weight:600;overflow-wrap:anywhere}' +
  '.sender img{max-width:10rem;max-height:4rem}.email{color:#57534c;font-size:.95rem;overflow-wrap:anywhere}' +
  'h1{border-top:4px solid var(--color);padding-top:1rem}' +
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto 0;padding:0 1.5rem;color:#1a1a1a;' +
  'background:#fff}h1{font-size:1.5rem}label{display:block;margin:0 0 1rem}input{display:block;box-sizing:border-box;' +
  'width:100%;font:inherit;padding:.5rem;margin:.3rem 0;border:1px solid #767676;border-radius:.3rem}' +
  '[role=alert]{color:#b3261e}button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:.3rem;' +
  'background:var(--color);color:var(--on-color);cursor:pointer}' +
  'button:focus-visible{outline:3px solid #f5b800;outline-offset:2px}' +
  'input:focus-visible{outline:3px solid #f5b800;outline-offset:1px}';

const usualColor = '#0b57d0';
const rendered = new Map<string, Page>();

/** One of our pages. Its form, if it has one, posts to the page's own address. */
export function makePage(name: PageName, frame: PageFrame): Page {
  const isPlain = Object.values(frame).filter(Boolean).length === 1;
  const key = `${name} ${frame.language}`;
  const known = isPlain ? rendered.get(key) : undefined;
  if (known) return known;
  const [title, text, button]: PageWords = pageWords[name][frame.language];
  const { name: field, value } = name === 'done' ? undoButton : pageButton;
  const form = button
    ? `<form method="post"><button name="${field}" value="${value}">${button}</button></form>`
    : '';
  const page = wholePage(frame, title, `<p>${text}</p>${form}`);
  if (isPlain) rendered.set(key, page);
  return page;
}

/** One of our pages, with HTML below its title. */
export function wholePage(frame: PageFrame, title: string, body: string): Page {
  const { language, sender = '', email = '', color, logo } = frame;
  const css = `:root{--color:${color || usualColor};--on-color:${textOn(color || usualColor)}}${style}`;
  const picture = logo ? `<img src="${escapeHtml(logo)}" alt="">` : '';
  const head = picture || sender ? `<p class="sender">${picture}<span>${escapeHtml(sender)}</span></p>` : '';
  const who = email ? `<p class="email">${escapeHtml(email)}</p>` : '';
  return {
    html: Buffer.from(
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>` +
        `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${css}</style></head>` +
        `<body><main>${head}<h1>${title}</h1>${who}${body}</main></body></html>`,
    ),
    policy: policyOf(css, logo),
  };
}

/** Allows no script, no frame around the page, and only the logo from elsewhere; a form may only be sent to us. */
function policyOf(css: string, logo: string | undefined): string {
  const hash = createHash('sha256').update(css).digest('base64');
  const pictures = logo && URL.canParse(logo) ? ` img-src ${new URL(logo).origin};` : '';
  return (
    `default-src 'none'; style-src 'sha256-${hash}';${pictures} form-action 'self'; ` +
    `frame-ancestors 'none'; base-uri 'none'`
  );
}

/** Black or white, whichever is easier to read on a colour (WCAG 2.2, relative luminance). */
function textOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

/** An address that its owner recognises and that reveals little to others: `j•••@example.com`. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email.slice(0, at)][0] ?? ''}•••${email.slice(at)}`;
}
