import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { shown, TableError } from '../table.ts';

/** The events of reading a part; names come without their prefix. */
export interface XmlHandlers {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text?(text: string): void;
}

/** Characters handed to the parser at a time: what one of them makes is held at once. */
const pieceLength = 16 * 1024;
/** Characters between two marks: a text, an attribute, a comment. The parser keeps them all. */
const maxSilence = 1024 * 1024;
/** Maximum nesting depth. A real workbook needs about ten. */
const maxDepth = 100;

/** Reads untrusted XML from the pieces of `xmlPieces`: no document types or entities, bounded depth and memory. */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  #depth = 0;
  #silence = 0;

  constructor(part: string, handlers: XmlHandlers) {
    const refuse = (what: string): never => {
      throw new TableError(`The workbook cannot be read: ${part} ${what}`);
    };
    const parser = this.#parser;
    parser.on('error', (error) => refuse(`is not well-formed XML: ${shown(error.message)}`));
    parser.on('doctype', () => refuse('declares a document type'));
    parser.on('opentag', ({ name, attributes }) => {
      this.#silence = 0;
      if (++this.#depth > maxDepth) refuse(`nests more than ${maxDepth} elements`);
      handlers.open(localName(name), attributes);
    });
    parser.on('closetag', ({ name }) => {
      this.#silence = 0;
      this.#depth--;
      handlers.close(localName(name));
    });
    const text = (found: string) => {
      this.#silence = 0;
      handlers.text?.(found);
    };
    parser.on('text', text);
    parser.on('cdata', text);
    this.#refuse = refuse;
  }

  readonly #refuse: (what: string) => never;

  push(piece: string): void {
    this.#silence += piece.length;
    this.#parser.write(piece);
    if (this.#silence > maxSilence) this.#refuse(`holds a text longer than ${maxSilence} characters`);
  }

  end(): void {
    this.#parser.close();
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** The text of an XML part in short pieces: UTF-8, or UTF-16 with its mark. @throws TableError for other bytes */
export async function* xmlPieces(source: Readable): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let head: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      let bytes = chunk;
      if (!decoder) {
        head = Buffer.concat([head, chunk]);
        if (head.length < 2) continue;
        decoder = new TextDecoder(encodingOf(head), { fatal: true });
        bytes = head;
      }
      yield* cut(decoder.decode(bytes, { stream: true }));
    }
    // Ends that are missing show here.
    if (decoder) yield* cut(decoder.decode());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new TableError('The workbook cannot be read: it contains bytes that its encoding does not allow');
  }
}

function* cut(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += pieceLength) yield text.slice(at, at + pieceLength);
}

function encodingOf(head: Buffer): string {
  const mark = head.readUInt16BE(0);
  return mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
}

/** Reads a whole part. */
export async function readXml(part: string, source: Readable, handlers: XmlHandlers): Promise<void> {
  const reader = new XmlReader(part, handlers);
  for await (const piece of xmlPieces(source)) reader.push(piece);
  reader.end();
}
