import { Tokenizer } from 'htmlparser2';
import { maxLinks } from './html-links.ts';
import type { Span } from './spans.ts';
import { maskTags, type RawTag, scanTags } from './tag-scanner.ts';

/** Elements whose content no reader sees. */
const unseen: ReadonlySet<string> = new Set(['title', 'style', 'script', 'template']);
/** Elements that show something by themselves. */
const shown: ReadonlySet<string> = new Set(['img', 'svg', 'input', 'video', 'hr']);

/**
 * The HTML with blanks, position by position, in the place of what no reader sees or can follow: titles, styles and
 * scripts, comments (also those that only Outlook reads), attributes other than the address of a link, addresses of
 * links around nothing, and those that hold a page of the service inside an address of another. Tags of the tag
 * language stay where they are seen. Links beyond those that can be compiled stay as they are.
 */
export function visibleHtml(html: string): string {
  const { tags } = scanTags(html);
  const masked = maskTags(html, tags);
  const reader = new UnseenReader(
    html,
    masked,
    tags.filter(({ inside }) => /^\s*LINK\./i.test(inside)),
  );
  const tokenizer = new Tokenizer({ decodeEntities: false, xmlMode: false }, reader);
  tokenizer.write(masked);
  tokenizer.end();
  return reader.seen();
}

const noop = (): void => {};

/** By tokens, as html-scanner.ts does: a tree of a hostile megabyte of open elements takes minutes to build. */
class UnseenReader {
  /** The HTML; what is not seen is blanked in it as it is found. */
  readonly #seen: Buffer;
  /** Its UTF-16 units. */
  readonly #units: Uint16Array;
  readonly #source: string;
  readonly #pages: readonly RawTag[];
  #nextPage = 0;
  #element = '';
  #links = 0;
  #isHref = false;
  #value: { start: number; end: number } | undefined;
  /** The address of the tag that is being read. */
  #address: Span | undefined;
  /** The address of the link that is open, until something is seen in it. */
  #unseenLink: Span | undefined;
  /** Unseen elements that are open, and where the outermost began. */
  #depth = 0;
  #from = 0;

  /** @param source the HTML with its tags masked  @param pages its tags that stand for pages of the service */
  constructor(html: string, source: string, pages: readonly RawTag[]) {
    this.#seen = Buffer.from(html, 'utf16le');
    this.#units = new Uint16Array(this.#seen.buffer, this.#seen.byteOffset, html.length);
    this.#source = source;
    this.#pages = pages;
  }

  onopentagname(start: number, end: number): void {
    this.#element = this.#source.slice(start, end).toLowerCase();
    this.#address = undefined;
  }

  onattribname(start: number, end: number): void {
    this.#isHref = end - start === 4 && this.#source.slice(start, end).toLowerCase() === 'href';
    this.#value = undefined;
  }

  onattribdata(start: number, end: number): void {
    if (this.#value) this.#value.end = end;
    else this.#value = { start, end };
  }

  onattribend(): void {
    if (!this.#value) return;
    const isAddress = this.#isHref && (this.#element === 'a' || this.#element === 'area');
    if (isAddress && ++this.#links > maxLinks) return;
    if (isAddress && this.#isWhole(this.#value)) this.#address = this.#value;
    else this.#hide(this.#value);
  }

  onopentagend(end: number): void {
    if (unseen.has(this.#element) && this.#depth++ === 0) this.#from = end + 1;
    if (shown.has(this.#element)) this.#unseenLink = undefined;
    if (this.#element !== 'a') return;
    this.#endLink();
    this.#unseenLink = this.#address;
  }

  onselfclosingtag(end: number): void {
    this.onopentagend(end);
  }

  ontext(start: number, end: number): void {
    if (this.#unseenLink && this.#depth === 0 && this.#source.slice(start, end).trim() !== '')
      this.#unseenLink = undefined;
  }

  onclosetag(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    if (name === 'a') this.#endLink();
    if (!unseen.has(name) || this.#depth === 0) return;
    if (--this.#depth === 0) this.#hide({ start: this.#from, end: start - 2 });
  }

  oncomment(start: number, end: number): void {
    this.#hide({ start, end });
  }

  onend(): void {
    this.#endLink();
    if (this.#depth > 0) this.#blank({ start: this.#from, end: this.#source.length });
  }

  seen(): string {
    return this.#seen.toString('utf16le');
  }

  /** What stands inside of an unseen element is hidden with it. */
  #hide(span: Span): void {
    if (this.#depth === 0) this.#blank(span);
  }

  #blank({ start, end }: Span): void {
    this.#units.fill(0x20, start, end);
  }

  /** Only now is it known whether its address is around nothing. */
  #endLink(): void {
    if (this.#unseenLink) this.#blank(this.#unseenLink);
    this.#unseenLink = undefined;
  }

  /** Does no page of the service stand in the midst of the address? */
  #isWhole({ start, end }: Span): boolean {
    while (this.#pages[this.#nextPage] && this.#pages[this.#nextPage]!.start < start) this.#nextPage++;
    const page = this.#pages[this.#nextPage];
    return !page || page.start >= end || this.#source.slice(start, page.start).trim() === '';
  }

  readonly onattribentity = noop;
  readonly oncdata = noop;
  readonly ondeclaration = noop;
  readonly onprocessinginstruction = noop;
  // Left undecoded, entities come as text.
  readonly ontextentity = noop;
}
