import { clickableLinks } from './clickable-links.ts';
import { decodeInside } from './content-template.ts';
import { decodedAddress } from './html-links.ts';
import { partsWithin } from './spans.ts';
import { addressSides } from './tag-address.ts';
import { compileTags, type TagOptions } from './tag-language.ts';
import { parseTag } from './tag-parser.ts';
import { maskTags, scanTags } from './tag-scanner.ts';

/**
 * Whether every reader of a part finds the unsubscribe link: `[[LINK.UNSUB]]`, or an address that a user marked as an
 * unsubscribe page. In HTML it must be the address of a link that a reader can click (clickable-links.ts). A link in a
 * condition counts if the other branch has one too.
 */
export function hasUnsubscriptionLink(
  source: string,
  options: Pick<TagOptions, 'kind' | 'fields' | 'contentData' | 'hasData'>,
  markedUrls: ReadonlySet<string>,
): boolean {
  // Only the marked addresses are tracked here, so a click means one of them. Their ids do not matter.
  const linkOf = (url: string) => (markedUrls.has(url) ? 1 : undefined);
  const isHtml = options.kind === 'html';
  const { links } = isHtml
    ? compileTags(clickableOutline(source, markedUrls), { ...options, kind: 'text' })
    : compileTags(source, { ...options, linkOf });
  return links.has('unsub') || links.has('click');
}

/** The conditions of an HTML source, and `[[LINK.UNSUB]]` for each link to the unsubscription that can be clicked. */
function clickableOutline(html: string, markedUrls: ReadonlySet<string>): string {
  const { tags } = scanTags(html);
  const clickable = clickableLinks(maskTags(html, tags));
  const outline: { readonly at: number; readonly text: string }[] = [];
  for (const { start, end, inside } of tags)
    if (isControl(inside)) outline.push({ at: start, text: html.slice(start, end) });
  for (const [address, inside] of partsWithin(clickable, tags))
    for (const { tag, isFirst } of addressSides(html, address, inside, decodeInside))
      if (isFirst && isWayOut(tag.inside)) outline.push({ at: tag.start, text: wayOut });
  for (const { start, end } of clickable)
    if (markedUrls.has(decodedAddress(html.slice(start, end)))) outline.push({ at: start, text: wayOut });
  return outline
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join('\n');
}

const wayOut = '[[LINK.UNSUB]]';
const isWayOut = (inside: string): boolean => /^\s*LINK\.UNSUB\s*$/i.test(inside);

function isControl(inside: string): boolean {
  const kind = parseTag(decodeInside(inside))?.kind;
  return kind === 'if' || kind === 'else' || kind === 'end';
}
