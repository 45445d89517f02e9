import { fillTags } from '../contents/tag-filler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { linkIdsOf } from '../mail/link-ids.ts';
import { tagOptionsOf } from '../mail/message-source.ts';
import { readerValues } from '../mail/reader-values.ts';
import { type FrozenJob, sourceOf } from './frozen-job.ts';

/**
 * The HTML that all messages of a sending share: tags of readers are empty, and there is no pixel.
 * @param linkTo where a tracked link leads, by its id; pages of the service lead nowhere
 * @returns undefined for messages of text
 * @throws FilledTooLarge
 */
export function sharedHtml(
  frozen: FrozenJob,
  idSent: number,
  linkTo: (idLink: number) => string,
): string | undefined {
  const source = sourceOf(frozen, idSent);
  if (source.html.trim() === '') return undefined;
  const linkOf = linkIdsOf(source).inHtml();
  const options = { kind: 'html', ...tagOptionsOf(source), linkOf, hasPixel: false } as const;
  const { nodes } = compileTags(source.html, options);
  const address = (_: string, idLink?: number) => (idLink === undefined ? '#' : linkTo(idLink));
  return fillTags(nodes, readerValues(source, { idSubscriber: 0 }, undefined, address));
}
