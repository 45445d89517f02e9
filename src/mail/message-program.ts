import { type Escape, escapes } from '../contents/tag-escape.ts';
import { fillTags, slotText, type TagValues } from '../contents/tag-filler.ts';
import type { Slot, TagNode } from '../contents/tag-tree.ts';
import type { MessageWriter } from './message-writer.ts';
import { quotedPrintable } from './quoted-printable.ts';

/** The values that pieces are written from: the tags' values, and values that only the headers need. */
export interface PieceValues extends TagValues {
  readonly email: string;
  readonly messageId: string;
  /** When the message was requested, ISO 8601; absent: with its job. */
  readonly date?: string | undefined;
}

/** One piece of a message: bytes as they go out, or what is written for each recipient. */
export type Piece = Buffer | ((writer: MessageWriter, values: PieceValues) => void);

/** The text of a slot that is the same for all recipients; undefined when it is not. */
export type Constant = (slot: Slot) => string | undefined;

/** The steps of `render` for each recipient; everything else is prepared. */
export interface MessageProgram {
  /** Header lines, without the empty line behind them. */
  readonly headers: readonly Piece[];
  readonly body: readonly Piece[];
  /** The date that conditions count days from: the sending's. */
  readonly now: Date;
  /** Bytes that a message is likely to take; grows with the longest made. */
  likelySize: number;
}

/** Runs pieces for one recipient. */
export function writePieces(pieces: readonly Piece[], writer: MessageWriter, values: PieceValues): void {
  for (const piece of pieces) {
    if (typeof piece === 'function') piece(writer, values);
    else writer.bytes(piece);
  }
}

/** The same pieces with neighbouring bytes joined: fewer copies a message. */
export function mergeBuffers(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (typeof piece === 'function' || last === undefined || typeof last === 'function') merged.push(piece);
    else merged[merged.length - 1] = Buffer.concat([last, piece]);
  }
  return merged;
}

/**
 * The pieces of a body part in quoted-printable. Each literal is encoded here, once for all recipients, and
 * ends at column 0, so that whatever follows it can be encoded by itself.
 */
export function bodyPieces(nodes: readonly TagNode[], constant: Constant): Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  const flush = (): void => {
    if (literal !== '') pieces.push(quotedPrintable(literal));
    literal = '';
  };
  for (const node of nodes) {
    const text = node.kind === 'slot' ? constant(node.slot) : undefined;
    if (node.kind === 'literal') literal += node.text;
    else if (node.kind === 'slot' && text !== undefined) literal += escapes[node.escape](text);
    else {
      flush();
      pieces.push(node.kind === 'slot' ? slotPiece(node.slot, node.escape) : conditionPiece(node, constant));
    }
  }
  flush();
  return pieces;
}

function slotPiece(slot: Slot, escapeName: Escape): Piece {
  const clean = escapes[escapeName];
  // Our own links are made of characters that mean nothing anywhere else than inside another address.
  if (slot.kind === 'link' && escapeName !== 'url') {
    const { link, idLink } = slot;
    return (writer, values) => writer.quotedPrintable(values.link(link, idLink));
  }
  return (writer, values) => writer.quotedPrintable(clean(slotText(slot, values)));
}

function conditionPiece(node: Extract<TagNode, { kind: 'condition' }>, constant: Constant): Piece {
  const whenTrue = bodyPieces(node.whenTrue, constant);
  const whenFalse = bodyPieces(node.whenFalse, constant);
  const { idField, test } = node;
  return (writer, values) =>
    writePieces(test(values.field(idField), values.now) ? whenTrue : whenFalse, writer, values);
}

/**
 * A header whose value has tags: `format` makes its lines from the filled value. Constant values are
 * formatted once.
 */
export function headerPiece(
  nodes: readonly TagNode[],
  constant: Constant,
  format: (value: string) => string,
): Piece {
  const filled = constantText(nodes, constant);
  if (filled !== undefined) return Buffer.from(format(filled), 'utf8');
  return (writer, values) => writer.text(format(fillTags(nodes, values)));
}

function constantText(nodes: readonly TagNode[], constant: Constant): string | undefined {
  let text = '';
  for (const node of nodes) {
    if (node.kind === 'condition') return undefined;
    const value = node.kind === 'literal' ? node.text : constant(node.slot);
    if (value === undefined) return undefined;
    text += node.kind === 'slot' ? escapes[node.escape](value) : value;
  }
  return text;
}
