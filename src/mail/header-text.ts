import { escapeHeader } from '../contents/tag-escape.ts';

/**
 * Maximum length of a header line, CRLF not counted: RFC 2047 allows 76 with encoded words, RFC 5322 recommends at most
 * 78.
 */
const maxLine = 76;
const wordStart = '=?UTF-8?B?';
const wordEnd = '?=';

/**
 * A header with free text (RFC 5322 unstructured), folded, with its CRLF. Text that is not plain ASCII becomes encoded
 * words (RFC 2047), split between characters only. Control characters become spaces.
 */
export function textHeader(name: string, value: string): string {
  const text = unstructured(escapeHeader(value), name.length + 2);
  return text === '' ? `${name}:\r\n` : `${name}: ${text}\r\n`;
}

/**
 * A header with one address, folded, with its CRLF. The display name may be any text; the address must pass
 * isHeaderAddress.
 */
export function addressHeader(name: string, alias: string, email: string): string {
  const phrase = phraseOf(escapeHeader(alias).trim(), name.length + 2);
  if (phrase === '') return `${name}: <${email}>\r\n`;
  const column = phrase.length - phrase.lastIndexOf('\n') - 1 + (phrase.includes('\n') ? 0 : name.length + 2);
  const separator = column + email.length + 3 > maxLine ? '\r\n ' : ' ';
  return `${name}: ${phrase}${separator}<${email}>\r\n`;
}

/** Whether an address can be between `<` and `>` in a header or a command without affecting the text around it. */
export function isHeaderAddress(email: string): boolean {
  return /^[^\x00-\x20\x7f-\xa0\u2028\u2029<>,;:()[\]\\"@]+@[^\x00-\x20\x7f-\xa0\u2028\u2029<>,;:()\\"@]+$/.test(
    email,
  );
}

function unstructured(text: string, column: number): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && !text.includes('=?') && !/^ | {2}| $/.test(text);
  const folded = isPlain ? foldWords(text, column) : undefined;
  return folded ?? encodedWords(text, column);
}

// Folds before spaces, which unfolding keeps. Undefined if a word is longer than a line.
function foldWords(text: string, column: number): string | undefined {
  if (column + text.length <= maxLine) return text;
  let folded = '';
  let at = column;
  for (const word of text.split(' ')) {
    if (word.length + 1 > maxLine) return undefined;
    if (folded === '') {
      if (at + word.length > maxLine) return undefined;
      folded = word;
      at += word.length;
    } else if (at + 1 + word.length > maxLine) {
      folded += `\r\n ${word}`;
      at = 1 + word.length;
    } else {
      folded += ` ${word}`;
      at += 1 + word.length;
    }
  }
  return folded;
}

function phraseOf(alias: string, column: number): string {
  if (alias === '') return '';
  // A name that looks like an encoded word is encoded, so that readers see it instead of its decoded form.
  const isPlain = /^[\x20-\x7e]*$/.test(alias) && !alias.includes('=?');
  const quoted = `"${alias.replace(/["\\]/g, '\\$&')}"`;
  return isPlain && column + quoted.length <= maxLine ? quoted : encodedWords(alias, column);
}

/** Encoded words of at most 75 characters, one on each line; spaces between them are ignored. */
function encodedWords(text: string, column: number): string {
  const words: string[] = [];
  let room = bytesInLine(column);
  let word = '';
  let length = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (length + size > room && word !== '') {
      words.push(word);
      word = '';
      length = 0;
      room = bytesInLine(1);
    }
    word += character;
    length += size;
  }
  words.push(word);
  return words.map((one) => wordStart + Buffer.from(one, 'utf8').toString('base64') + wordEnd).join('\r\n ');
}

// Base64 writes 3 bytes as 4 characters. Our header names are short enough to leave at least 12 bytes.
const bytesInLine = (column: number): number =>
  Math.floor((Math.min(75, maxLine - column) - wordStart.length - wordEnd.length) / 4) * 3;

/**
 * The `filename` of an attachment: plain for programs that know no other form, and as UTF-8 (RFC 2231) if it is not
 * plain. Both in continuations, so that no line is too long. Control characters are removed.
 */
export function fileNameParameters(name: string): string {
  const text = escapeHeader(name);
  const plain = text.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_');
  if (plain === text && text.length <= 60) return `filename="${text}"`;
  const encoded = encodeURIComponent(text).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const pieces = encoded.match(/(?:%..|[^%]){1,16}/g) ?? [''];
  const parts = pieces.map((piece, i) => `filename*${i}*=${i === 0 ? "UTF-8''" : ''}${piece}`);
  return parts.join(';\r\n ');
}
