/**
 * The position of a value decides how it is escaped: `plain` text, a `header` line, `html` text or a quoted attribute,
 * `bare` inside an HTML tag but outside quotes, `url` inside an address, `address` where the value is the beginning of
 * an address, `http` and `https` where the author wrote that scheme before a value that may be a whole address; `html…`
 * the same in an attribute.
 */
export type Escape =
  | 'plain'
  | 'header'
  | 'html'
  | 'bare'
  | 'url'
  | 'address'
  | 'http'
  | 'https'
  | 'htmlAddress'
  | 'htmlHttp'
  | 'htmlHttps';

const htmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML text or as the value of a quoted attribute. */
export function escapeHtml(text: string): string {
  // Most values need no escape: testing first is four times as fast as replacing.
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => htmlEntities[character]!) : text;
}

// Everything that could end an unquoted attribute or start another one. Character references are decoded in values
// only, so no value can add an attribute: in a name they stay as they are.
function escapeBare(text: string): string {
  return text.replace(/[^\p{L}\p{N}._-]/gu, (character) => `&#${character.codePointAt(0)};`);
}

// encodeURIComponent throws on half a surrogate pair.
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** A value inside an address: it cannot end the parameter, the path segment or the address. */
export function escapeUrl(text: string): string {
  return encodeURIComponent(wellFormed(text)).replaceAll("'", '%27');
}

// A field may contain a whole address; only web addresses are accepted as such, never `javascript:`.
function escapeAddress(text: string): string {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed)) return escapeUrl(trimmed);
  return wellFormed(trimmed)
    .replace(/[^\w\-.~:/?#[\]@!$&()*+,;=%]/gu, (character) => encodeURIComponent(character))
    .replaceAll("'", '%27');
}

// Editors put a scheme before every address. It is added only to a value without one; an empty value stays empty.
function escapeAfter(scheme: 'http' | 'https', text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  return escapeAddress(
    /^https?:\/\//i.test(trimmed) ? trimmed : `${scheme}://${trimmed.replace(/^\/+/, '')}`,
  );
}

/** One line: line ends and other control characters become spaces, so that no value starts a new header. */
export function escapeHeader(text: string): string {
  // C0, DEL, C1, and the Unicode line and paragraph separators.
  return /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(text)
    ? text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    : text;
}

// NUL is not allowed in a message (RFC 5321); other control characters are up to the text.
const escapePlain = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

export const escapes: Readonly<Record<Escape, (text: string) => string>> = {
  plain: escapePlain,
  header: escapeHeader,
  html: (text) => escapeHtml(escapePlain(text)),
  bare: (text) => escapeBare(escapePlain(text)),
  url: escapeUrl,
  address: escapeAddress,
  http: (text) => escapeAfter('http', text),
  https: (text) => escapeAfter('https', text),
  htmlAddress: (text) => escapeHtml(escapeAddress(text)),
  htmlHttp: (text) => escapeHtml(escapeAfter('http', text)),
  htmlHttps: (text) => escapeHtml(escapeAfter('https', text)),
};
