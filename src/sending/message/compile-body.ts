import type { Compiled } from '../../contents/tag-compiler.ts';
import type { TagNode } from '../../contents/tag-tree.ts';
import { bodyPieces, type Constant, type Piece } from './message-program.ts';

export interface CompiledBody {
  /** Header lines that tell the body's form. */
  readonly headers: readonly Piece[];
  readonly pieces: readonly Piece[];
}

const typeLines = (subtype: 'plain' | 'html'): string =>
  `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n`;

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

/**
 * Compiles the body: multipart/alternative with the text first (RFC 2046: the best form last), or the one
 * part that there is.
 * @param boundary must hold `=_`, which quoted-printable never writes, so that no content can end a part
 */
export function compileBody(
  parts: { readonly text: Compiled | undefined; readonly html: Compiled | undefined },
  constant: Constant,
  boundary: string,
): CompiledBody {
  const text = parts.text && partPieces(parts.text, constant);
  const html = parts.html && partPieces(parts.html, constant);
  if (text && html) {
    return {
      headers: [ascii(`Content-Type: multipart/alternative; boundary="${boundary}"\r\n`)],
      pieces: [
        ascii(`--${boundary}\r\n${typeLines('plain')}\r\n`),
        ...text,
        ascii(`--${boundary}\r\n${typeLines('html')}\r\n`),
        ...html,
        ascii(`--${boundary}--\r\n`),
      ],
    };
  }
  return { headers: [ascii(typeLines(html ? 'html' : 'plain'))], pieces: html ?? text ?? [] };
}

// The line end belongs to the boundary behind the part (RFC 2046, 5.1.1), or ends a body of one part.
function partPieces(compiled: Compiled, constant: Constant): Piece[] {
  const lineEnd: TagNode = { kind: 'literal', text: '\r\n' };
  return bodyPieces([...compiled.nodes, lineEnd], constant);
}
