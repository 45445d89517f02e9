import {
  type ContentFrame,
  type ContentPart,
  isEmptySource,
  preheaderPadding,
} from '../contents/assemble-content.ts';
import { lineAndColumn } from '../contents/spans.ts';
import type { TagError, TagField } from '../contents/tag.ts';
import type { Compiled, CompileOptions } from '../contents/tag-compiler.ts';
import { compileTags } from '../contents/tag-language.ts';
import type { Campaign } from './campaign.ts';
import { type BlockPlaces, writtenAt } from './campaign-blocks.ts';
import type { Found } from './finding.ts';
import type { Placement } from './placement.ts';
import { ownContent, type SegmentHtml, type SegmentMessages } from './segment-messages.ts';

/** The sources of messages, and the options for compiling them. */
export interface ContentSources {
  /** The campaign as it is sent, filled from its template. */
  readonly campaign: Campaign;
  readonly configuration: ContentFrame | undefined;
  readonly placements: readonly Placement[];
  /** The fields of the site; a tag that names another is an error. */
  readonly fields: readonly TagField[];
  /** Whether DATA.name is filled, as in single sends. */
  readonly hasData?: boolean;
  /** Folded keys of the existing content data. */
  readonly contentData: ReadonlySet<string>;
  readonly places: BlockPlaces;
}

/** The faults of text and HTML of all segments, but missing advertisements: those that prevent sending, and hints. */
export function contentFaults(sources: ContentSources, messages: SegmentMessages) {
  const problems = new Map<string, Found>();
  const warnings = new Map<string, Found>();
  const options = tagOptionsOf(sources);
  const add = (locate: (position: number) => Place, { errors, warnings: told }: Compiled) => {
    for (const error of errors) addNamed(problems, locate, error);
    for (const warning of told) addNamed(warnings, locate, warning);
  };
  for (const one of messages.htmls)
    add((at) => placeInHtml(sources, messages, one, at), compiledHtml(one, options));
  const { text, parts } = messages;
  if (!isEmptySource(text))
    add((at) => placeInParts(sources, parts.text, at), compiled(text, 'text', options));
  return { problems: [...problems.values()], warnings: [...warnings.values()] };
}

/** Returns the options of tags in a campaign's sources. */
export function tagOptionsOf({
  fields,
  contentData,
  hasData = false,
}: Pick<ContentSources, 'fields' | 'contentData' | 'hasData'>): CompileOptions {
  return { fields, contentData, hasData };
}

/** Without content blocks that cannot be placed, which are reported once elsewhere. */
export const withoutBlocks = (errors: readonly TagError[]): TagError[] =>
  errors.filter(({ tag }) => !/^\[\[\s*BLOC\./i.test(tag));

function compiled(source: string, kind: 'html' | 'text', options: CompileOptions): Compiled {
  const all = compileTags(source, { kind, ...options });
  return { ...all, errors: withoutBlocks(all.errors) };
}

/** Missing advertisements are reported elsewhere, by segment. */
function compiledHtml({ html }: SegmentHtml, options: CompileOptions): Compiled {
  const all = compiled(html, 'html', options);
  const isMissing = ({ tag }: TagError) => /^\[\[\s*ENCART\.[^\]]*\]\]/i.test(tag);
  return { ...all, errors: all.errors.filter((error) => !isMissing(error)) };
}

/** A place in the author's text. */
interface Place extends Pick<Found, 'part' | 'line' | 'column'> {
  readonly words: string;
}

/** The message begins with the tag. */
function addNamed(to: Map<string, Found>, locate: (position: number) => Place, error: TagError): void {
  const { words, ...place } = locate(error.position);
  const text = `${words}: ${error.message}`;
  to.set(text, { code: error.code, text, about: error.tag, ...place });
}

function placeInHtml(
  sources: ContentSources,
  { parts }: SegmentMessages,
  { pieces, segment }: SegmentHtml,
  position: number,
): Place {
  const piece = pieces.find(({ start, end }) => start <= position && position < end) ?? pieces.at(-1);
  const at = position - (piece?.start ?? 0) + (piece?.from ?? 0);
  if (!piece || piece.id === 0) return placeInParts(sources, parts.html, at);
  const html = sources.placements.find(({ id }) => id === piece.id)?.html ?? '';
  const words = `an advertisement${segment ? ` of segment ${segment.position}` : ''}`;
  return placed(sources, words, html, at, 'advertisement');
}

function placeInParts(sources: ContentSources, parts: readonly ContentPart[], position: number): Place {
  let start = 0;
  for (const part of parts) {
    const end = start + part.text.length;
    if (position < end || part === parts.at(-1))
      return placeInPart(sources, part, position - start + part.from);
    start = end;
  }
  return { words: 'the content', part: null, line: null, column: null };
}

function placeInPart(sources: ContentSources, { origin, text }: ContentPart, at: number): Place {
  const { campaign, configuration } = sources;
  const { html, text: plain } = ownContent(campaign);
  if (origin === 'htmlContent') return placed(sources, origin, html, at);
  if (origin === 'textContent') return placed(sources, origin, plain, at);
  // The message holds it as generated HTML.
  if (origin === 'preheader')
    return placed(sources, origin, campaign.preheader, preheaderAt(campaign, text, at));
  return placed(sources, origin, configuration?.[origin] ?? '', at);
}

/** A place in the author's text: in the source, or in a content block. */
function placed(
  { places }: ContentSources,
  name: string,
  source: string,
  position: number,
  part = name,
): Place {
  const { block, text, at } = writtenAt(places, source, position);
  const { line, column } = lineAndColumn(text, Math.max(0, at));
  const [where, inside] = block === '' ? [name, part] : [`content block ${block}`, 'block'];
  return { words: `${where}, line ${line}, column ${column}`, part: inside, line, column };
}

/** The HTML of the preheader holds its tags unchanged. */
function preheaderAt({ preheader }: Campaign, html: string, at: number): number {
  const behind = html.indexOf(preheaderPadding, at);
  const found = preheader.indexOf(html.slice(at, Math.min(at + 20, behind)));
  return Math.max(0, found);
}
