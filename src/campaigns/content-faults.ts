import { type ContentFrame, type ContentPart, isEmptySource } from '../contents/assemble-content.ts';
import { lineAndColumn } from '../contents/spans.ts';
import type { TagError, TagField } from '../contents/tag.ts';
import type { Compiled, CompileOptions } from '../contents/tag-compiler.ts';
import { compileTags } from '../contents/tag-language.ts';
import type { Campaign } from './campaign.ts';
import { ownContent } from './campaign-content.ts';
import type { Placing } from './placing.ts';
import type { SegmentHtml, SegmentMessages } from './segment-messages.ts';

/** The sources that messages are made of, and what they are compiled with. */
export interface ContentSources {
  readonly campaign: Campaign;
  readonly configuration: ContentFrame | undefined;
  readonly placings: readonly Placing[];
  readonly fields: readonly TagField[];
  /** Whether DATA.name is filled, as in single sends. */
  readonly hasData?: boolean;
}

/** What is wrong with contents, in words that name the source, line and column. */
export interface ContentFaults {
  /** What keeps a message from being sent. */
  readonly problems: readonly string[];
  /** What its author should know. */
  readonly warnings: readonly string[];
}

/** Faults of the text and of the HTML of all segments. Advertisements that are not placed are not among them. */
export function contentFaults(sources: ContentSources, messages: SegmentMessages): ContentFaults {
  const problems: string[] = [];
  const warnings: string[] = [];
  const { fields, hasData = false } = sources;
  const add = (locate: (position: number) => string, { errors, warnings: told }: Compiled) => {
    for (const error of errors) problems.push(named(locate, error));
    for (const warning of told) warnings.push(named(locate, warning));
  };
  for (const one of messages.htmls)
    add((at) => placeInHtml(sources, messages, one, at), compiledHtml(one, { fields, hasData }));
  const { text, parts } = messages;
  if (!isEmptySource(text))
    add((at) => placeInParts(sources, parts.text, at), compileTags(text, { kind: 'text', fields, hasData }));
  return { problems: [...new Set(problems)], warnings: [...new Set(warnings)] };
}

/** Advertisements that are missing are named elsewhere, by the segments where they are. */
function compiledHtml({ html }: SegmentHtml, options: CompileOptions): Compiled {
  const compiled = compileTags(html, { kind: 'html', ...options });
  const isMissing = ({ tag }: TagError) => /^\[\[\s*ENCART\.[^\]]*\]\]/i.test(tag);
  return { ...compiled, errors: compiled.errors.filter((error) => !isMissing(error)) };
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
  const html = sources.placings.find(({ id }) => id === piece.id)?.html ?? '';
  return `an advertisement${segment ? ` of segment ${segment.position}` : ''}, ${lineIn(html, at)}`;
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

function placeInPart(
  { campaign, configuration }: ContentSources,
  { origin, text }: ContentPart,
  at: number,
): string {
  const { html, text: plain } = ownContent(campaign);
  if (origin === 'htmlContent') return `htmlContent, ${lineIn(html, at)}`;
  if (origin === 'textContent') return `textContent, ${lineIn(plain, at)}`;
  // It stands in the message as HTML of ours.
  if (origin === 'preheader')
    return `preheader, ${lineIn(campaign.preheader, preheaderAt(campaign, text, at))}`;
  return `${origin}, ${lineIn(configuration?.[origin] ?? '', at)}`;
}

/** Tags stand in the preheader's HTML as they stand in the preheader. */
function preheaderAt({ preheader }: Campaign, html: string, at: number): number {
  const found = preheader.indexOf(html.slice(at, at + 20).replace(/(?:<\/div>)?$/, ''));
  return Math.max(0, found);
}

function lineIn(source: string, position: number): string {
  const { line, column } = lineAndColumn(source, Math.max(0, position));
  return `line ${line}, column ${column}`;
}
