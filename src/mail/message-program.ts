import { type Escape, escapes } from '../contents/tag-escape.ts';
import { fillTags, slotText, type TagValues } from '../contents/tag-filler.ts';
import type { Slot, TagNode } from '../contents/tag-tree.ts';
import type { MessageWriter } from './message-writer.ts';
import { quotedPrintable } from './quoted-printable.ts';

/** The values of the pieces: those of the tags, and those that only the headers need. */
export interface PieceValues extends TagValues {
  readonly email: string;
  readonly messageId: string;
  /** When the message was requested, ISO 8601. Default: with its job. */
  readonly date?: string | undefined;
}

/** A piece of a message: bytes, or a function that writes it for each recipient. */
export type Piece = Buffer | ((writer: MessageWriter, values: PieceValues) => void);

/** Returns the text of a slot that is the same for all recipients; undefined for other slots. */
export type Constant = (slot: Slot) => string | undefined;

/** The prepared steps of `render` for each recipient. */
export interface MessageProgram {
  /** Header lines, without the empty line after them. */
  readonly headers: readonly Piece[];
  readonly body: readonly Piece[];
  /** The date that conditions count days from: the sending's. */
  readonly now: Date;
  /** Expected size of a message in bytes; grows with the longest one made. */
  likelySize: number;
}

/** Runs pieces for one recipient. */
export function writePieces(pieces: readonly Piece[], writer: MessageWriter, values: PieceValues): void {
  for (const piece of pieces) {
    if (typeof piece === 'function') piece(writer, values);
    else writer.bytes(piece);
  }
}

/** Joins adjacent bytes, so that a message needs fewer copies. */
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
 * The pieces of a body part in quoted-printable. Each literal is encoded here, once for all recipients, and ends at
 * column 0, so that each piece can be encoded independently.
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
  // Our own links consist of characters without a meaning outside of another address.
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
 * A header whose value has tags: `format` makes its lines from the filled value. Constant values are formatted once.
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
