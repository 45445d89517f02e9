import type { ServiceLink } from './tag.ts';

/** A parsed tag. `value` of a condition is undefined if the tag has none. */
export type ParsedTag =
  | { readonly kind: 'field'; readonly idField: number; readonly byDefault: string }
  | { readonly kind: 'conf'; readonly number: number }
  | { readonly kind: 'advertisement'; readonly number: number }
  | { readonly kind: 'block'; readonly key: string }
  | { readonly kind: 'data'; readonly name: string }
  | {
      readonly kind: 'dataRow';
      readonly key: string;
      readonly idField: number;
      readonly byDefault: string;
    }
  | { readonly kind: 'link'; readonly link: ServiceLink }
  | {
      readonly kind: 'if';
      readonly idField: number;
      readonly operator: string;
      readonly value: string | undefined;
    }
  | { readonly kind: 'else' }
  | { readonly kind: 'end' };

/** Keys of content blocks and data are compared ignoring case. */
export const foldKey = (key: string): string => key.trim().toLowerCase();

/** Maximum length of a tag's inside; it also bounds the work of the patterns below. */
const maxInside = 1000;
const highestConf = 10;

const fieldPattern = /^FLD\.(\d{1,9})$/i;
const confPattern = /^CONF\.(\d{1,3})$/i;
const advertisementPattern = /^ENCART\.(\d{1,6})$/i;
const blockPattern = /^BLOC\.(.{1,255})$/i;
const dataRowPattern = /^DATA\.(.{1,255})\.fld(\d{1,9})$/i;
const dataPattern = /^DATA\.(.{1,255})$/i;
const linkPattern = /^LINK\.(MIRROR|UNSUB|FORWARD)$/i;
const conditionPattern = /^IF\s+FLD\.(\d{1,9})\s+([A-Za-z]+)(?:\s+(.*))?$/is;

/** Parses the inside of a tag; undefined for an unknown tag. Names are case-insensitive. */
export function parseTag(inside: string): ParsedTag | undefined {
  if (inside.length > maxInside) return undefined;
  const bar = inside.indexOf('|');
  if (bar >= 0 && !/^\s*IF\s/i.test(inside)) {
    const tag = parseReference(inside.slice(0, bar).trim());
    if (tag?.kind !== 'field' && tag?.kind !== 'dataRow') return undefined;
    return { ...tag, byDefault: inside.slice(bar + 1) };
  }
  const text = inside.trim();
  return parseControl(text) ?? parseReference(text);
}

function parseControl(text: string): ParsedTag | undefined {
  const word = text.toUpperCase();
  if (word === 'ELSE') return { kind: 'else' };
  if (word === 'END') return { kind: 'end' };
  const match = conditionPattern.exec(text);
  if (!match) return undefined;
  const value = match[3] === undefined ? undefined : unquote(match[3].trim());
  return value === null ? undefined : { kind: 'if', idField: Number(match[1]), operator: match[2]!, value };
}

function parseReference(text: string): ParsedTag | undefined {
  let match = fieldPattern.exec(text);
  if (match) return { kind: 'field', idField: Number(match[1]), byDefault: '' };
  match = linkPattern.exec(text);
  // The pattern accepts exactly the three words.
  if (match) return { kind: 'link', link: match[1]!.toLowerCase() as ServiceLink };
  match = confPattern.exec(text);
  if (match) {
    const number = Number(match[1]);
    return number >= 1 && number <= highestConf ? { kind: 'conf', number } : undefined;
  }
  match = advertisementPattern.exec(text);
  if (match) return { kind: 'advertisement', number: Number(match[1]) };
  match = blockPattern.exec(text);
  if (match) return { kind: 'block', key: match[1]!.trim() };
  match = dataRowPattern.exec(text);
  if (match) return { kind: 'dataRow', key: match[1]!.trim(), idField: Number(match[2]), byDefault: '' };
  match = dataPattern.exec(text);
  return match ? { kind: 'data', name: match[1]! } : undefined;
}

/** A value in straight, typographic or no quotes; a doubled quote inside means one. Null if the quotes do not match. */
function unquote(text: string): string | null {
  const first = text[0];
  if (first === undefined) return '';
  const closing = { '"': '"', "'": "'", '“': '”', '«': '»' }[first];
  if (closing === undefined) return text;
  if (text.length < 2 || !text.endsWith(closing)) return null;
  const inside = text.slice(1, -1);
  if (closing !== first) return inside.trim();
  const single = inside.replaceAll(first + first, '');
  return single.includes(first) ? null : inside.replaceAll(first + first, first);
}
