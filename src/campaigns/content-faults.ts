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
  const problems: string[] = [];
  const warnings: string[] = [];
  const options = tagOptionsOf(sources);
  const add = (locate: (position: number) => string, { errors, warnings: told }: Compiled) => {
    for (const error of errors) problems.push(named(locate, error));
    for (const warning of told) warnings.push(named(locate, warning));
  };
  for (const one of messages.htmls)
    add((at) => placeInHtml(sources, messages, one, at), compiledHtml(one, options));
  const { text, parts } = messages;
  if (!isEmptySource(text))
    add((at) => placeInParts(sources, parts.text, at), compiled(text, 'text', options));
  return { problems: [...new Set(problems)], warnings: [...new Set(warnings)] };
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

/** The message begins with the tag. */
const named = (locate: (position: number) => string, { position, message }: TagError): string =>
  `${locate(position)}: ${message}`;

function placeInHtml(
  sources: ContentSources,
  { parts }: SegmentMessages,
  { pieces, segment }: SegmentHtml,
  position: number,
): string {
  const piece = pieces.find(({ start, end }) => start <= position && position < end) ?? pieces.at(-1);
  const at = position - (piece?.start ?? 0) + (piece?.from ?? 0);
  if (!piece || piece.id === 0) return placeInParts(sources, parts.html, at);
  const html = sources.placements.find(({ id }) => id === piece.id)?.html ?? '';
  return placed(sources, `an advertisement${segment ? ` of segment ${segment.position}` : ''}`, html, at);
}

function placeInParts(sources: ContentSources, parts: readonly ContentPart[], position: number): string {
  let start = 0;
  for (const part of parts) {
    const end = start + part.text.length;
    if (position < end || part === parts.at(-1))
      return placeInPart(sources, part, position - start + part.from);
    start = end;
  }
  return 'the content';
}

function placeInPart(sources: ContentSources, { origin, text }: ContentPart, at: number): string {
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
function placed({ places }: ContentSources, name: string, source: string, position: number): string {
  const { block, text, at } = writtenAt(places, source, position);
  return `${block === '' ? name : `content block ${block}`}, ${lineIn(text, at)}`;
}

/** The HTML of the preheader holds its tags unchanged. */
function preheaderAt({ preheader }: Campaign, html: string, at: number): number {
  const behind = html.indexOf(preheaderPadding, at);
  const found = preheader.indexOf(html.slice(at, Math.min(at + 20, behind)));
  return Math.max(0, found);
}

function lineIn(source: string, position: number): string {
  const { line, column } = lineAndColumn(source, Math.max(0, position));
  return `line ${line}, column ${column}`;
}
