import type { Span } from './spans.ts';
import { type Compiled, type CompileOptions, compileSource, type Replacement } from './tag-compiler.ts';
import type { Escape } from './tag-escape.ts';
import { parseTag } from './tag-parser.ts';
import { type RawTag, scanTags } from './tag-scanner.ts';
import type { TagNode } from './tag-tree.ts';

/** A tag that may be a whole address, after a scheme that an editor put in front of it. */
export interface TagBehindScheme {
  readonly scheme: Span;
  readonly tag: RawTag;
  readonly name: 'http' | 'https';
}

/** The tags that are the whole host, in order: `http://[[FLD.110]]?x=1`, but not `http://[[FLD.1]].example.com`. */
export function tagsBehindSchemes(source: string, tags: readonly RawTag[]): TagBehindScheme[] {
  return tags.flatMap((tag) => {
    const scheme = /(?<![a-z0-9+.-])(https?):\/\/$/i.exec(
      source.slice(Math.max(0, tag.start - 9), tag.start),
    );
    if (!scheme || !/^(?:FLD|DATA|LINK)\./i.test(tag.inside.trimStart())) return [];
    if (!endsHost.test(source.slice(tag.end, tag.end + 2))) return [];
    const span = { start: tag.start - scheme[0].length, end: tag.start };
    return [{ scheme: span, tag, name: scheme[1]!.toLowerCase() as 'http' | 'https' }];
  });
}

/** The end of a host, or of the sentence around it. */
const endsHost = /^(?:$|[\s"'<>()\]},;!?/#&]|[.:](?:$|[\s"'<>]))/;

/** Removes the schemes; the tags' own escapes add one to a value without a scheme. */
export const withoutSchemes = (found: readonly TagBehindScheme[]): Replacement[] =>
  found.map(({ scheme }) => ({ ...scheme, nodes: [] }));

/** The escape of each of these tags, by its start. */
export function schemeEscapes(
  found: readonly TagBehindScheme[],
  kind: 'html' | 'plain',
): ReadonlyMap<number, Escape> {
  const names = { http: 'htmlHttp', https: 'htmlHttps' } as const;
  return new Map(found.map(({ tag, name }) => [tag.start, kind === 'html' ? names[name] : name]));
}

/** Compiles a stored address. Values are percent-encoded, so that only one at the beginning can be a whole address. */
export function compileUrl(source: string, options: CompileOptions): Compiled {
  const scan = scanTags(source);
  const found = tagsBehindSchemes(source, scan.tags).filter(({ scheme }) => scheme.start === 0);
  const escapes = schemeEscapes(found, 'plain');
  const isFirst = new Set(firstTags(source, { start: 0, end: source.length }, scan.tags));
  return compileSource(
    source,
    {
      scan,
      escapeAt: ({ start }) => escapes.get(start) ?? (isFirst.has(start) ? 'address' : 'url'),
      decode: (inside) => inside,
      replacements: withoutSchemes(found),
    },
    options,
  );
}

/** The starts of an address's tags that may be its beginning: only spaces and conditions are in front of them. */
export const firstTags = (...address: Parameters<typeof addressSides>): number[] =>
  addressSides(...address).flatMap(({ tag, isFirst, hasScheme }) =>
    isFirst && !hasScheme ? [tag.start] : [],
  );

interface SideTag {
  readonly tag: RawTag;
  readonly kind: string | undefined;
  /** Whether only conditions, and a scheme, are in front of it in its branch. */
  readonly isFirst: boolean;
  /** Whether the address begins with a scheme in front of the tag. */
  readonly hasScheme: boolean;
}

/** The tags of an address in order. @param decode turns the inside of a tag as written into the inside as meant */
export function addressSides(
  source: string,
  { start, end }: Span,
  tags: readonly RawTag[],
  decode: (inside: string) => string = (inside) => inside,
): SideTag[] {
  /** Whether anything was in front of each open condition. */
  const around: boolean[] = [];
  let isEmpty = true;
  let hasScheme = false;
  let from = start;
  return tags.map((tag) => {
    const between = source.slice(from, Math.min(tag.start, from + longestBlank, end)).trim();
    hasScheme ||= isEmpty && /^https?:\/\/$/i.test(between);
    isEmpty &&= between === '' || hasScheme;
    from = tag.end;
    const kind = parseTag(decode(tag.inside))?.kind;
    const isFirst = isEmpty;
    if (kind === 'if') around.push(isFirst);
    else if (kind === 'else') isEmpty = around.at(-1) ?? false;
    else if (kind === 'end') isEmpty = (around.pop() ?? false) && isEmpty;
    else isEmpty = false;
    return { tag, kind, isFirst, hasScheme };
  });
}

/** Maximum number of spaces in front of an address that are read. */
const longestBlank = 1_000;

/** The target of an address with tags: a web address whatever the values, a page of the service, or something else. */
export function addressKind(url: string): 'web' | 'service' | 'other' {
  const { nodes, errors } = compileUrl(url, {});
  const kinds = beginnings(nodes);
  if (kinds.has('service')) return 'service';
  return errors.length === 0 && kinds.size === 1 && kinds.has('web') ? 'web' : 'other';
}

type Beginning = 'web' | 'service' | 'other' | 'empty';

const slotKinds = { field: 'web', data: 'web', dataRow: 'web', link: 'service', conf: 'other' } as const;

/** Returns the possible beginnings of a URL, over all branches of its conditions. */
function beginnings(nodes: readonly TagNode[]): ReadonlySet<Beginning> {
  const found = new Set<Beginning>();
  for (const node of nodes) {
    if (node.kind === 'literal') {
      if (node.text.trim() === '') continue;
      return found.add(/^\s*https?:\/\/[^/?#\\]/i.test(node.text) ? 'web' : 'other');
    }
    if (node.kind === 'slot') return found.add(slotKinds[node.slot.kind]);
    const sides = new Set([...beginnings(node.whenTrue), ...beginnings(node.whenFalse)]);
    const canBeEmpty = sides.delete('empty');
    for (const side of sides) found.add(side);
    if (!canBeEmpty) return found;
  }
  return found.add('empty');
}
