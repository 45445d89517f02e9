import { scanHtml } from './html-scanner.ts';
import type { Span } from './spans.ts';
import { escapeHtml } from './tag-escape.ts';
import { maskTags, scanTags } from './tag-scanner.ts';

/** The parts of a sending configuration that stand around every content. */
export interface ContentFrame {
  readonly headerHtml: string;
  readonly headerTxt: string;
  readonly footerHtml: string;
  readonly footerTxt: string;
  readonly unsubHtml: string;
  readonly unsubTxt: string;
}

export interface Content {
  /** '' when there is no such part. */
  readonly html: string;
  readonly text: string;
}

/** Whether a part holds nothing that a reader could see. */
export const isEmptySource = (source: string): boolean => source.trim() === '';

/**
 * Puts header, content, footer and unsubscription text together, as they are sent and as the checklist looks
 * at them. In HTML they go inside the content's body. A part that the campaign leaves empty stays empty: a
 * frame alone is no message.
 * @param preheader what mail programs show beside the subject; plain text with tags
 */
export function assembleContent(frame: ContentFrame | undefined, content: Content, preheader = ''): Content {
  return {
    html: isEmptySource(content.html) ? '' : assembleHtml(frame, content.html, preheader),
    text: isEmptySource(content.text) ? '' : assembleText(frame, content.text),
  };
}

function assembleHtml(frame: ContentFrame | undefined, html: string, preheader: string): string {
  const { start, end } = bodyOf(html);
  const hidden = isEmptySource(preheader) ? '' : preheaderHtml(preheader);
  return [
    html.slice(0, start),
    hidden + (frame?.headerHtml ?? ''),
    html.slice(start, end),
    (frame?.footerHtml ?? '') + (frame?.unsubHtml ?? ''),
    html.slice(end),
  ].join('');
}

/** Where the header and the footer of a frame go in an HTML. */
export function bodyOf(html: string): Span {
  const masked = maskTags(html, scanTags(html).tags);
  const { bodyStart: start = firstContent(masked), bodyEnd } = scanHtml(masked, {});
  return { start, end: bodyEnd !== undefined && bodyEnd >= start ? bodyEnd : html.length };
}

// HTML without a body element: behind what belongs in front of it.
function firstContent(masked: string): number {
  const head = masked.search(/<\/head\s*>/i);
  if (head >= 0) return masked.indexOf('>', head) + 1;
  const start = /^\s*(?:<!doctype[^>]*>\s*)?(?:<html[^>]*>)?/i.exec(masked);
  return start ? start[0].length : 0;
}

function preheaderHtml(preheader: string): string {
  const style = 'display:none;max-height:0;overflow:hidden;mso-hide:all';
  const { tags } = scanTags(preheader);
  let escaped = '';
  let from = 0;
  for (const { start, end } of tags) {
    escaped += escapeHtml(preheader.slice(from, start)) + preheader.slice(start, end);
    from = end;
  }
  return `<div style="${style}">${escaped}${escapeHtml(preheader.slice(from))}</div>`;
}

function assembleText(frame: ContentFrame | undefined, text: string): string {
  return [frame?.headerTxt, text, frame?.footerTxt, frame?.unsubTxt]
    .filter((part) => part !== undefined && !isEmptySource(part))
    .join('\r\n');
}
