import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from 'parse5';
import { type HtmlFault, parseHtml, valueSpan } from './html-parser.ts';
import type { Span } from './spans.ts';

/** The value of an attribute, without its quotes. */
export interface AttributeValue extends Span {
  /** Element and attribute name in lower case. */
  readonly element: string;
  readonly name: string;
  readonly isQuoted: boolean;
}

/** Receives the parts of an HTML source in order; none is stored: a hostile megabyte has 200,000 attributes. */
export interface HtmlVisitor {
  attribute?(value: AttributeValue): void;
  /** Called with the span from `<` to after `>`, after the tag's attributes. */
  openingTag?(tag: Span): void;
  /** Called with the text of a comment that no reader sees. */
  comment?(inside: Span): void;
  /** Called with the content of a style element, up to the end of the source if it is not closed. */
  style?(inside: Span): void;
}

export interface ScannedHtml {
  /** The start of the body's content: never before a doctype or inside the head. */
  readonly bodyStart: number;
  /** The end of the body: in front of the last `</body>`; undefined if there is none. */
  readonly bodyEnd: number | undefined;
  /** Faults that prevent a browser from reading the source to its end, or us from reading it at all. */
  readonly faults: readonly HtmlFault[];
}

/** Scans HTML as browsers do; Outlook's conditional comments (`<!--[if mso]>`) inside, because Outlook shows them. */
export function scanHtml(source: string, visitor: HtmlVisitor): ScannedHtml {
  const reader = new TokenReader(source, 0, visitor);
  let doctypeEnd = 0;
  let bodyStart: number | undefined;
  let bodyEnd: number | undefined;
  const { document, cutOff, limit } = parseHtml(source, {
    startTag(token) {
      reader.startTag(token);
      if (token.tagName === 'body') bodyStart ??= token.location?.endOffset;
    },
    endTag(token) {
      reader.endTag(token);
      if (token.tagName === 'body') bodyEnd = token.location?.startOffset;
    },
    comment(token) {
      if (!token.location) return;
      const { startOffset, endOffset } = token.location;
      readComment(source, startOffset, endOffset, visitor);
    },
    doctype(token) {
      doctypeEnd = token.location?.endOffset ?? doctypeEnd;
    },
  });
  reader.end();
  return {
    bodyStart: Math.max(doctypeEnd, bodyStart ?? firstContent(document, source)),
    bodyEnd,
    faults: [cutOff, limit].filter((one) => one !== undefined),
  };
}

/** The start of the body in a source without a body tag: the first thing that a browser puts into it. */
function firstContent({ childNodes }: ReturnType<typeof parseHtml>['document'], source: string): number {
  const html = childNodes.find((node) => node.nodeName === 'html');
  const parts = html && 'childNodes' in html ? html.childNodes : [];
  const body = parts.find((node) => node.nodeName === 'body');
  const inBody = body && 'childNodes' in body ? body.childNodes : [];
  let first = source.length;
  for (const { sourceCodeLocation: at } of inBody) if (at) first = Math.min(first, at.startOffset);
  return first;
}

function readComment(source: string, start: number, end: number, visitor: HtmlVisitor): void {
  const opening = /^<!--\s*\[if [^\]]{1,200}\]>/i.exec(source.slice(start, Math.min(end, start + 220)));
  if (opening) {
    const from = start + opening[0].length;
    new TokenReader(source.slice(from, end), from, visitor).read();
    return;
  }
  if (!visitor.comment) return;
  // The delimiters belong neither to a tag nor to a text.
  const [before = '<!'] = source.slice(start, start + 4).match(/^<!-{0,2}/) ?? [];
  const [after = ''] = source.slice(Math.max(start + before.length, end - 4), end).match(/-{0,2}!?>$/) ?? [];
  visitor.comment({ start: start + before.length, end: end - after.length });
}

/** States in which only their own end tag ends the text of these elements. */
const rawStates: Readonly<Record<string, Tokenizer['state']>> = {
  style: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
};

const noop = (): void => {};

/** Passes tokens to a visitor. `read` tokenizes the inside of a conditional comment, where no tree is needed. */
class TokenReader implements TokenHandler {
  readonly #source: string;
  /** The start of the source within the whole scan. */
  readonly #offset: number;
  readonly #visitor: HtmlVisitor;
  #tokenizer: Tokenizer | undefined;
  #styleStart: number | undefined;

  constructor(source: string, offset: number, visitor: HtmlVisitor) {
    this.#source = source;
    this.#offset = offset;
    this.#visitor = visitor;
  }

  read(): void {
    this.#tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, this);
    this.#tokenizer.write(this.#source, true);
    this.end();
  }

  startTag({ tagName, location }: Token.TagToken): void {
    if (!location) return;
    const { attribute, openingTag } = this.#visitor;
    if (attribute && location.attrs) {
      for (const name in location.attrs) {
        const value = valueSpan(this.#source, name, location.attrs[name]!);
        if (value)
          this.#visitor.attribute?.({
            element: tagName,
            name,
            start: value.start + this.#offset,
            end: value.end + this.#offset,
            isQuoted: value.isQuoted,
          });
      }
    }
    if (openingTag) this.#visitor.openingTag?.(this.#span(location.startOffset, location.endOffset));
    if (tagName === 'style') this.#styleStart = location.endOffset;
  }

  endTag({ tagName, location }: Token.TagToken): void {
    if (tagName === 'style' && location) this.#endStyle(location.startOffset);
  }

  /** Must be called at the end of the source. */
  end(): void {
    this.#endStyle(this.#source.length);
  }

  onStartTag(token: Token.TagToken): void {
    this.startTag(token);
    const state = rawStates[token.tagName];
    if (state === undefined || !this.#tokenizer) return;
    this.#tokenizer.lastStartTagName = token.tagName;
    this.#tokenizer.state = state;
  }

  onEndTag(token: Token.TagToken): void {
    this.endTag(token);
  }

  #endStyle(end: number): void {
    if (this.#styleStart !== undefined) this.#visitor.style?.(this.#span(this.#styleStart, end));
    this.#styleStart = undefined;
  }

  #span(start: number, end: number): Span {
    return { start: start + this.#offset, end: end + this.#offset };
  }

  readonly onComment = noop;
  readonly onDoctype = noop;
  readonly onEof = noop;
  readonly onCharacter = noop;
  readonly onNullCharacter = noop;
  readonly onWhitespaceCharacter = noop;
}
