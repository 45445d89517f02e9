/** An element of MJML that the blocks editor knows. */
export interface MjmlElement {
  readonly tagName: string;
  /** Values as they are meant, without entities. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The HTML inside of an element that holds words. */
  readonly content?: string;
  readonly components?: readonly MjmlElement[];
}

/** MJML that the blocks editor can change. */
export interface MjmlText {
  readonly attributes: MjmlElement['attributes'];
  /** The head as it is written; the editor does not show it. */
  readonly head: string;
  readonly body: MjmlElement;
}

/** The children that each element may have. */
const inside: Readonly<Record<string, readonly string[]>> = {
  mjml: ['mj-body'],
  'mj-body': ['mj-section'],
  'mj-section': ['mj-column'],
  'mj-column': ['mj-text', 'mj-button', 'mj-image', 'mj-divider', 'mj-spacer'],
  'mj-image': [],
  'mj-divider': [],
  'mj-spacer': [],
};
const withWords = ['mj-text', 'mj-button'];
const wordElements =
  'a, b, strong, i, em, u, s, br, p, span, div, h1, h2, h3, h4, h5, h6, ul, ol, li, sup, sub, small, blockquote';
const wordAttributes = ['href', 'style', 'title', 'target', 'rel', 'align', 'lang', 'dir', 'class'];

/** Handlers and base addresses, which the policy of the page would report as soon as they are parsed. */
const reported = /<base\b|<[a-z](?:"[^"]*"|'[^']*'|[^'"<>])*?[\s"'/]on[a-z]+\s*=/i;

/** Whether HTML has words and their looks only: nothing that runs, loads or is a layout of its own. */
export function isPlainWords(html: string): boolean {
  if (reported.test(html)) return false;
  const { body, head } = new DOMParser().parseFromString(html, 'text/html');
  if (head.childElementCount > 0) return false;
  return [...body.querySelectorAll('*')].every(
    (element) =>
      element.matches(wordElements) &&
      [...element.attributes].every(
        ({ name, value }) =>
          wordAttributes.includes(name) && !(name === 'style' && /url\(|@|\\/i.test(value)),
      ) &&
      !/^\s*(javascript|data|vbscript):/i.test(element.getAttribute('href') ?? ''),
  );
}

/** Reads MJML. Returns undefined if it has anything that the blocks editor would lose, run or fetch. */
export function readMjml(mjml: string): MjmlText | undefined {
  if (reported.test(mjml)) return undefined;
  const head = /<mj-head\b[\s\S]*?<\/mj-head\s*>/i.exec(mjml)?.[0] ?? '';
  const source = mjml
    .replace(head, '')
    // HTML has no elements that close themselves.
    .replaceAll(/<(mj-[\w-]+)((?:\s+[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/>/gi, '<$1$2></$1>');
  const page = new DOMParser().parseFromString(source, 'text/html');
  const root = page.body.children[0];
  if (!root || page.body.children.length > 1 || page.head.childElementCount > 0) return undefined;
  const read = root.localName === 'mjml' ? elementOf(root) : undefined;
  const [body, ...others] = read?.components ?? [];
  return read && body && others.length === 0 ? { attributes: read.attributes, head, body } : undefined;
}

function elementOf(element: Element): MjmlElement | undefined {
  const tagName = element.localName;
  const attributes = Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
  if (Object.keys(attributes).some((name) => name.startsWith('on') || name === 'style')) return undefined;
  if (withWords.includes(tagName)) {
    const content = element.innerHTML.trim();
    return isPlainWords(content) ? { tagName, attributes, content } : undefined;
  }
  const allowed = inside[tagName];
  const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
  if (!allowed || texts.some(({ textContent }) => textContent?.trim())) return undefined;
  const components: MjmlElement[] = [];
  for (const child of element.children) {
    const read = allowed.includes(child.localName) ? elementOf(child) : undefined;
    if (!read) return undefined;
    components.push(read);
  }
  return { tagName, attributes, components };
}

/** A value as it is written between the quotes of an attribute. */
export const escapeValue = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The value that an attribute written by `escapeValue` means. */
export const unescapeValue = (written: string): string =>
  written.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

const attributesText = (attributes: MjmlElement['attributes']): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` ${name}="${escapeValue(value)}"`)
    .join('');

function elementText({ tagName, attributes, content, components = [] }: MjmlElement, indent: string): string {
  const start = `${indent}<${tagName}${attributesText(attributes)}>`;
  if (content !== undefined || components.length === 0) return `${start}${content ?? ''}</${tagName}>`;
  return [start, ...components.map((one) => elementText(one, `${indent}  `)), `${indent}</${tagName}>`].join(
    '\n',
  );
}

/** Writes MJML. */
export function writeMjml({ attributes, head, body }: MjmlText): string {
  const start = `<mjml${attributesText(attributes)}>`;
  return `${[start, ...(head ? [head] : []), elementText(body, '  '), '</mjml>'].join('\n')}\n`;
}

const picture =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%22600%22 height=%22200%22%3E' +
  '%3Crect width=%22600%22 height=%22200%22 fill=%22%23d6d2ca%22/%3E%3Cpath d=%22M255 140l30-45 22 30 14-18 24 33z%22 ' +
  'fill=%22%236b665e%22/%3E%3C/svg%3E';
const mark = '#as=';

/** The path of a picture that a Facteur serves. The public address of this one is not known here. */
const servedPath = /^\/p\/\d+\/[\w-]{22}\.\w+$/;

/**
 * The address that the canvas loads for a picture: its path at this service if it is one of a Facteur, otherwise a
 * placeholder, because the console contacts no other host. Either has the address of the message in its fragment.
 */
export function shieldAddress(address: string): string {
  const path = URL.canParse(address) ? new URL(address).pathname.replace(/^.*(?=\/p\/)/, '') : '';
  return `${servedPath.test(path) ? path : picture}${mark}${encoded(address)}`;
}

/** Encodes an address for a fragment, and for the quotes of a style. */
const encoded = (address: string): string =>
  encodeURIComponent(address).replaceAll(/['()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);

/** The address of the message for one that `shieldAddress` made. */
export function unshieldAddress(shown: string): string {
  const at = shown.indexOf(mark);
  return at < 0 ? shown : decodeURIComponent(shown.slice(at + mark.length));
}

/** Attributes whose address the canvas would load. */
export const loadingAttributes: readonly string[] = ['src', 'background-url'];
