import { Tokenizer } from 'htmlparser2';
import { maxLinks } from './html-links.ts';
import { maskTags, type RawTag, scanTags } from './tag-scanner.ts';

/** From a position to behind another, in UTF-16 units. */
interface Range {
  readonly start: number;
  readonly end: number;
}

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
  const reader = new UnseenReader(
    maskTags(html, tags),
    tags.filter(({ inside }) => /^\s*LINK\./i.test(inside)),
  );
  const tokenizer = new Tokenizer({ decodeEntities: false, xmlMode: false }, reader);
  tokenizer.write(reader.source);
  tokenizer.end();
  return blanked(html, reader.ranges());
}

const noop = (): void => {};

/** By tokens, as html-scanner.ts does: a tree of a hostile megabyte of open elements takes minutes to build. */
class UnseenReader {
  readonly source: string;
  readonly #pages: readonly RawTag[];
  readonly #ranges: Range[] = [];
  readonly #emptyLinks: Range[] = [];
  #nextPage = 0;
  #element = '';
  #links = 0;
  #isHref = false;
  #value: { start: number; end: number } | undefined;
  /** The address of the tag that is being read. */
  #address: Range | undefined;
  /** The address of the link that is open, until something is seen in it. */
  #unseenLink: Range | undefined;
  /** Unseen elements that are open, and where the outermost began. */
  #depth = 0;
  #from = 0;

  constructor(source: string, pages: readonly RawTag[]) {
    this.source = source;
    this.#pages = pages;
  }

  onopentagname(start: number, end: number): void {
    this.#element = this.source.slice(start, end).toLowerCase();
    this.#address = undefined;
  }

  onattribname(start: number, end: number): void {
    this.#isHref = end - start === 4 && this.source.slice(start, end).toLowerCase() === 'href';
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
    if (this.#unseenLink && this.#depth === 0 && this.source.slice(start, end).trim() !== '')
      this.#unseenLink = undefined;
  }

  onclosetag(start: number, end: number): void {
    const name = this.source.slice(start, end).toLowerCase();
    if (name === 'a') this.#endLink();
    if (!unseen.has(name) || this.#depth === 0) return;
    if (--this.#depth === 0) this.#ranges.push({ start: this.#from, end: start - 2 });
  }

  oncomment(start: number, end: number): void {
    this.#hide({ start, end });
  }

  /** What stands inside of an unseen element is hidden with it. */
  #hide(range: Range): void {
    if (this.#depth === 0) this.#ranges.push(range);
  }

  /** In order. An address is known to be around nothing only when its link ends. */
  ranges(): readonly Range[] {
    this.#endLink();
    if (this.#depth > 0) this.#ranges.push({ start: this.#from, end: this.source.length });
    if (this.#emptyLinks.length === 0) return this.#ranges;
    return [...this.#ranges, ...this.#emptyLinks].sort((a, b) => a.start - b.start);
  }

  #endLink(): void {
    if (this.#unseenLink) this.#emptyLinks.push(this.#unseenLink);
    this.#unseenLink = undefined;
  }

  /** Does no page of the service stand in the midst of the address? */
  #isWhole({ start, end }: Range): boolean {
    while (this.#pages[this.#nextPage] && this.#pages[this.#nextPage]!.start < start) this.#nextPage++;
    const page = this.#pages[this.#nextPage];
    return !page || page.start >= end || this.source.slice(start, page.start).trim() === '';
  }

  readonly onattribentity = noop;
  readonly oncdata = noop;
  readonly ondeclaration = noop;
  readonly onend = noop;
  readonly onprocessinginstruction = noop;
  // Left undecoded, entities come as text.
  readonly ontextentity = noop;
}

function blanked(text: string, ranges: readonly Range[]): string {
  let rest = '';
  let from = 0;
  for (const { start, end } of ranges) {
    if (end <= from) continue;
    const begin = Math.max(start, from);
    rest += text.slice(from, begin) + ' '.repeat(end - begin);
    from = end;
  }
  return rest + text.slice(from);
}
