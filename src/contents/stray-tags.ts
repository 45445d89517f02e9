import type { Span } from './spans.ts';
import type { TagError } from './tag.ts';
import { maxTags } from './tag-scanner.ts';

/** Beginnings of tags; an x would mask a tag. Words that texts also have count only in double brackets. */
const names = new RegExp(
  String.raw`(?:FLD\.\d{1,9}|LINK\.(?:UNSUB|MIRROR|FORWARD)|CONF\.\d{1,3}|ENCART\.\d{1,6}|IF\s{1,9}FLD\.\d{1,9}` +
    String.raw`|ELSE|END)(?![a-wyz\d_.])`,
  'gi',
);
const opening = /(?:%(?:25)?5B|%7B|&#0{0,5}(?:91|123);?|&#x0{0,5}[57]b;?|&lbrack;|&lsqb;|&lbrace;)$/i;
const blank = /(?:&nbsp;|&#160;|&#xa0;|&zwnj;|%20|[\s\u200b\ufeff])$/i;
const closing = /^\s{0,9}(?:\|[^[\]<>\n]{0,200})?\]\s{0,9}\]/;

/** Maximum number of steps back from a name to its brackets. */
const maxSteps = 20;
const longestMarkup = 200;
const longestShown = 80;
const maxErrors = 100;

/**
 * Finds texts that are meant as tags but would be shown as they are: brackets that an editor encoded or split by
 * formatting, and tags that do not end before the next one. The source is read once; the surroundings of each name are
 * read within fixed bounds.
 * @param masked the source with its tags masked
 */
export function strayTags(source: string, masked: string): TagError[] {
  const errors: TagError[] = [];
  let found = 0;
  for (const match of masked.matchAll(names)) {
    const [name] = match;
    const start = match.index;
    const end = start + name.length;
    if (errors.length >= maxErrors || ++found > maxTags * 10) break;
    const brackets = bracketsBefore(masked, start);
    const isWord = /^E/i.test(name) && !/^ENCART/i.test(name);
    const isStray =
      brackets.count >= (isWord ? 2 : 1) || (!isWord && closing.test(masked.slice(end, end + 230)));
    if (isStray) errors.push(errorAt(source, { start: brackets.start, end }, name));
  }
  return errors;
}

function errorAt(source: string, { start, end }: Span, name: string): TagError {
  const rest = source.slice(start, Math.max(end, start + longestShown));
  const tag = /^[^\r\n]*/.exec(rest)?.[0] ?? '';
  const message = `${tag}: would be shown to readers, because its brackets are not [[ and ]]; write [[${name}]]`;
  return { code: 'stray_tag', tag, position: start, message };
}

/** The left brackets in front of a position, with only spaces and markup between; `start` is the first. */
function bracketsBefore(source: string, at: number): { start: number; count: number } {
  let from = at;
  let start = at;
  let count = 0;
  for (let step = 0; step < maxSteps && from > 0; step++) {
    const last = source[from - 1]!;
    const near = source.slice(Math.max(0, from - 12), from);
    const encoded = opening.exec(near);
    if (encoded || '[{［'.includes(last)) {
      from -= encoded ? near.length - encoded.index : 1;
      start = from;
      count++;
      continue;
    }
    const space = blank.exec(near);
    if (space) from -= near.length - space.index;
    else if (last === '>') {
      const markup = source.slice(Math.max(0, from - longestMarkup), from - 1);
      const open = markup.lastIndexOf('<');
      if (open < 0 || markup.indexOf('>', open) >= 0) break;
      from -= markup.length + 1 - open;
    } else break;
  }
  return { start, count };
}
