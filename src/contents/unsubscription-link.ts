import { compileTags, type TagOptions } from './tag-language.ts';
import { visibleHtml } from './visible-html.ts';

/**
 * Whether every reader of a part finds the way out: `[[LINK.UNSUB]]`, or one of the addresses that a user marked as
 * unsubscription pages, where it is seen and can be followed. One that stands in a condition counts when the
 * condition's other side has one too.
 */
export function hasUnsubscriptionLink(
  source: string,
  options: Pick<TagOptions, 'kind' | 'fields'>,
  markedUrls: ReadonlySet<string>,
): boolean {
  // Only the marked addresses are tracked here, so that a click stands for one of them. Their ids do not matter.
  const seen = options.kind === 'html' ? visibleHtml(source) : source;
  const { links } = compileTags(seen, {
    ...options,
    linkOf: (url) => (markedUrls.has(url) ? 1 : undefined),
  });
  return links.has('unsub') || links.has('click');
}
