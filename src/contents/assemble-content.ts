import { scanHtml } from './html-scanner.ts';
import type { Span } from './spans.ts';
import { escapeHtml } from './tag-escape.ts';
import { maskTags, scanTags } from './tag-scanner.ts';

/** The parts of a sending configuration around every content. */
export interface ContentFrame {
  readonly headerHtml: string;
  readonly headerTxt: string;
  readonly footerHtml: string;
  readonly footerTxt: string;
  readonly unsubHtml: string;
  readonly unsubTxt: string;
}

export interface Content {
  /** '' if there is no such part. */
  readonly html: string;
  readonly text: string;
}

/** Whether a part has nothing that a reader could see. */
export const isEmptySource = (source: string): boolean => source.trim() === '';

/** Where a part of an assembled content comes from: the property of the campaign or of its sending configuration. */
export type ContentOrigin = keyof ContentFrame | 'htmlContent' | 'textContent' | 'preheader';

/** A part of an assembled content, and its start in its own source. */
export interface ContentPart {
  readonly origin: ContentOrigin;
  readonly text: string;
  readonly from: number;
}

/** The parts of the HTML and of the text, in order. */
export interface ContentParts {
  readonly html: readonly ContentPart[];
  readonly text: readonly ContentPart[];
}

/**
 * Joins header, content, footer and unsubscribe text, as they are sent and as the checklist checks them. In HTML they
 * go inside the content's body. A part that the campaign leaves empty stays empty: a frame alone is not a message.
 * @param preheader what mail programs show beside the subject; plain text with tags
 */
export function assembleContent(frame: ContentFrame | undefined, content: Content, preheader = ''): Content {
  return joinParts(contentParts(frame, content, preheader));
}

/** Returns the parts that `assembleContent` joins. */
export function contentParts(
  frame: ContentFrame | undefined,
  content: Content,
  preheader = '',
): ContentParts {
  return {
    html: isEmptySource(content.html) ? [] : htmlParts(frame, content.html, preheader),
    text: isEmptySource(content.text) ? [] : textParts(frame, content.text),
  };
}

export function joinParts({ html, text }: ContentParts): Content {
  const joined = (parts: readonly ContentPart[]) => parts.map((part) => part.text).join('');
  return { html: joined(html), text: joined(text) };
}

function htmlParts(frame: ContentFrame | undefined, html: string, preheader: string): ContentPart[] {
  const { start, end } = bodyOf(html);
  const hidden = isEmptySource(preheader) ? '' : preheaderHtml(preheader);
  const ofFrame = (origin: 'headerHtml' | 'footerHtml' | 'unsubHtml'): ContentPart => {
    return { origin, text: frame?.[origin] ?? '', from: 0 };
  };
  return [
    { origin: 'htmlContent', text: html.slice(0, start), from: 0 },
    { origin: 'preheader', text: hidden, from: 0 },
    ofFrame('headerHtml'),
    { origin: 'htmlContent', text: html.slice(start, end), from: start },
    ofFrame('footerHtml'),
    ofFrame('unsubHtml'),
    { origin: 'htmlContent', text: html.slice(end), from: end },
  ];
}

/** Where the header and the footer of a frame go in an HTML content. */
export function bodyOf(html: string): Span {
  const masked = maskTags(html, scanTags(html).tags);
  const { bodyStart: start, bodyEnd } = scanHtml(masked, {});
  return { start, end: bodyEnd !== undefined && bodyEnd >= start ? bodyEnd : html.length };
}

/** Without these, mail programs fill the 150 characters that they show with the beginning of the body. */
export const preheaderPadding = '&#847;&zwnj;&nbsp;'.repeat(150);

function preheaderHtml(preheader: string): string {
  const style = 'display:none;max-height:0;overflow:hidden;mso-hide:all';
  const { tags } = scanTags(preheader);
  let escaped = '';
  let from = 0;
  for (const { start, end } of tags) {
    escaped += escapeHtml(preheader.slice(from, start)) + preheader.slice(start, end);
    from = end;
  }
  return `<div style="${style}">${escaped}${escapeHtml(preheader.slice(from))}${preheaderPadding}</div>`;
}

function textParts(frame: ContentFrame | undefined, text: string): ContentPart[] {
  const parts: readonly (readonly [ContentOrigin, string | undefined])[] = [
    ['headerTxt', frame?.headerTxt],
    ['textContent', text],
    ['footerTxt', frame?.footerTxt],
    ['unsubTxt', frame?.unsubTxt],
  ];
  return parts
    .flatMap(([origin, part = '']) => (isEmptySource(part) ? [] : [{ origin, text: part, from: 0 }]))
    .map((part, index) => (index === 0 ? part : { ...part, text: `\r\n${part.text}`, from: -2 }));
}
