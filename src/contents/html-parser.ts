import { type DefaultTreeAdapterMap, defaultTreeAdapter, Parser, type Token, TokenizerMode } from 'parse5';
import type { Span } from './spans.ts';

/** Maximum number of elements, comments and repeated formatting elements. A newsletter of 100 kB has about 3,000. */
const maxNodes = 50_000;
/** Maximum nesting; browsers stop at the same depth. */
const maxDepth = 512;
const maxAttributes = 1_000;

/** A mistake in an HTML source, and where it is; `position` counts UTF-16 units from 0. */
export interface HtmlFault {
  readonly position: number;
  /** The fault and its remedy. */
  readonly problem: string;
}

/** Receives the tokens that the parser accepts, each kind in source order. */
export interface TokenVisitor {
  startTag?(token: Token.TagToken): void;
  endTag?(token: Token.TagToken): void;
  comment?(token: Token.CommentToken): void;
  doctype?(token: Token.DoctypeToken): void;
}

/**
 * Parses HTML by the HTML standard, with parse5, as a mail program without scripts does. Building a tree can cost
 * more than linear time and memory (unclosed formatting elements are repeated in each paragraph), so that the number
 * of nodes, their depth and the attributes of a tag are limited. Positions are those of the source.
 */
export function parseHtml(source: string, visitor: TokenVisitor = {}) {
  const parser = new BoundedParser(source, visitor);
  let limit: HtmlFault | undefined;
  try {
    parser.tokenizer.write(source, true);
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    limit = { position: error.position, problem: error.message };
  }
  // Cut off: a tag, comment or raw text that the source does not end; what follows it is lost to readers.
  return { document: parser.document, cutOff: limit ? undefined : parser.cutOff(), limit };
}

/** Ends the parsing of a source that exceeds a limit. */
class LimitExceeded extends Error {
  readonly position: number;

  constructor(position: number, problem: string) {
    super(problem);
    this.name = 'LimitExceeded';
    this.position = position;
  }
}

class BoundedParser extends Parser<DefaultTreeAdapterMap> {
  readonly #source: string;
  readonly #visitor: TokenVisitor;
  #nodes = 0;
  /** The end of the last tag or comment. */
  #last = 0;
  #cutOff: HtmlFault | undefined;
  /** The start tag of a raw text, which only its end tag ends, for example a textarea. */
  #raw: Token.TagToken | undefined;

  constructor(source: string, visitor: TokenVisitor) {
    super({
      sourceCodeLocationInfo: true,
      scriptingEnabled: false,
      treeAdapter: {
        ...defaultTreeAdapter,
        createElement: (name, namespace, attributes) => {
          this.#count();
          return defaultTreeAdapter.createElement(name, namespace, attributes);
        },
        createCommentNode: (data) => {
          this.#count();
          return defaultTreeAdapter.createCommentNode(data);
        },
      },
      onParseError: ({ code }) => {
        if (code === 'eof-in-tag') this.#cut('the tag is not closed; close its quotes and end it with >');
        if (code === 'eof-in-comment') this.#cut('the comment is not closed; end it with -->');
      },
    });
    this.#source = source;
    this.#visitor = visitor;
  }

  cutOff(): HtmlFault | undefined {
    if (this.#cutOff || !this.#raw) return this.#cutOff;
    const { tagName } = this.#raw;
    return { position: positionOf(this.#raw), problem: `${tagName} is not closed; add </${tagName}>` };
  }

  override onStartTag(token: Token.TagToken): void {
    if (token.attrs.length > maxAttributes)
      throw new LimitExceeded(
        positionOf(token),
        `a tag has more than ${maxAttributes} attributes; remove some`,
      );
    this.#last = endOf(token);
    this.#visitor.startTag?.(token);
    super.onStartTag(token);
    if (this.tokenizer.state !== TokenizerMode.DATA) this.#raw = token;
  }

  override onEndTag(token: Token.TagToken): void {
    this.#last = endOf(token);
    this.#raw = undefined;
    this.#visitor.endTag?.(token);
    super.onEndTag(token);
  }

  override onComment(token: Token.CommentToken): void {
    this.#last = endOf(token);
    this.#visitor.comment?.(token);
    super.onComment(token);
  }

  override onDoctype(token: Token.DoctypeToken): void {
    this.#visitor.doctype?.(token);
    super.onDoctype(token);
  }

  override onItemPush(node: DefaultTreeAdapterMap['parentNode'], id: number, isTop: boolean): void {
    if (this.openElements.stackTop >= maxDepth)
      throw new LimitExceeded(
        this.#position(),
        `elements nest more than ${maxDepth} deep; close some of them`,
      );
    super.onItemPush(node, id, isTop);
  }

  #count(): void {
    if (++this.#nodes <= maxNodes) return;
    const problem = `the HTML has more than ${maxNodes} elements; shorten it, or close its formatting elements`;
    throw new LimitExceeded(this.#position(), problem);
  }

  #position(): number {
    return this.currentToken ? positionOf(this.currentToken) : 0;
  }

  /** The unclosed tag or comment begins at the first `<` after the last that ended. */
  #cut(problem: string): void {
    const opening = /<[a-z/!?]/gi;
    opening.lastIndex = this.#last;
    this.#cutOff = { position: opening.exec(this.#source)?.index ?? this.#last, problem };
  }
}

const positionOf = (token: { location: Token.Location | null }): number => token.location?.startOffset ?? 0;
const endOf = (token: { location: Token.Location | null }): number => token.location?.endOffset ?? 0;

/** The value of an attribute in the source, without quotes; undefined for an empty one. */
export function valueSpan(
  source: string,
  name: string,
  at: Token.Location,
): (Span & { readonly isQuoted: boolean }) | undefined {
  let start = at.startOffset + name.length;
  while (isBlank(source, start)) start++;
  if (source[start] !== '=') return undefined;
  start++;
  while (isBlank(source, start)) start++;
  const isQuoted = source[start] === '"' || source[start] === "'";
  const span = isQuoted
    ? { start: start + 1, end: at.endOffset - 1, isQuoted }
    : { start, end: at.endOffset, isQuoted };
  return span.end > span.start ? span : undefined;
}

const isBlank = (text: string, at: number): boolean => ' \t\n\f\r'.includes(text.charAt(at) || 'x');
