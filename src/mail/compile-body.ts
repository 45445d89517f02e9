import mime from 'mime';
import type { Compiled } from '../contents/tag-compiler.ts';
import type { TagNode } from '../contents/tag-tree.ts';
import { fileNameParameters } from './header-text.ts';
import { bodyPieces, type Constant, type Piece } from './message-program.ts';
import type { Attachment } from './message-source.ts';

export interface CompiledBody {
  /** Header lines of the body's form. */
  readonly headers: readonly Piece[];
  readonly pieces: readonly Piece[];
}

const typeLines = (subtype: 'plain' | 'html'): string =>
  `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n`;

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

/**
 * Compiles the body: multipart/alternative with the text first (RFC 2046: the best form last), or a single part; with
 * files inside multipart/mixed.
 * @param boundary must contain `=_`, which quoted-printable never writes, so that no content can end a part
 */
export function compileBody(parts: BodyParts, constant: Constant, boundary: string): CompiledBody {
  const content = compileContent(parts, constant, boundary);
  if (parts.attachments.length === 0) return content;
  const mixed = `${boundary}_mixed`;
  return {
    headers: [ascii(`Content-Type: multipart/mixed; boundary="${mixed}"\r\n`)],
    pieces: [
      ascii(`--${mixed}\r\n`),
      ...content.headers,
      ascii('\r\n'),
      ...content.pieces,
      ...parts.attachments.flatMap((one) => [ascii(`--${mixed}\r\n`), ...attachmentPieces(one)]),
      ascii(`--${mixed}--\r\n`),
    ],
  };
}

interface BodyParts {
  readonly text: Compiled | undefined;
  readonly html: Compiled | undefined;
  readonly attachments: readonly Attachment[];
}

function compileContent(parts: BodyParts, constant: Constant, boundary: string): CompiledBody {
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

// The line end belongs to the boundary after the part (RFC 2046, 5.1.1), or ends a body of one part.
function partPieces(compiled: Compiled, constant: Constant): Piece[] {
  const lineEnd: TagNode = { kind: 'literal', text: '\r\n' };
  return bodyPieces([...compiled.nodes, lineEnd], constant);
}

/** A file as a part: base64 in lines of 76 characters, which cannot contain a boundary. */
function attachmentPieces({ name, content }: Attachment): Piece[] {
  const type = mime.getType(name) ?? 'application/octet-stream';
  const lines = content.toString('base64').replace(/.{76}/g, '$&\r\n');
  // The name is only in the disposition, as RFC 6266 and RFC 2231 define; the type needs nothing else.
  return [
    ascii(`Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n`),
    ascii(`Content-Disposition: attachment;\r\n ${fileNameParameters(name)}\r\n\r\n`),
    Buffer.from(`${lines.replace(/\r\n$/, '')}\r\n`, 'latin1'),
  ];
}
