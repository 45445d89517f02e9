import type { RecipientLink } from '../contents/tag.ts';
import type { TagValues } from '../contents/tag-filler.ts';
import type { MessageSource, RecipientValues } from './message-source.ts';
import { type Recipient, rowKey } from './recipient.ts';
import { confValue } from './render-message.ts';

/** Makes the address of a page or a link for the reader. */
export type LinkMaker = (kind: RecipientLink, idLink?: number) => string;

/**
 * The values of tags outside of a message: on its web version, in an address.
 * @param reader undefined if they no longer exist or must not be revealed: tags are filled as for empty fields
 */
export function readerValues(
  source: MessageSource,
  of: Pick<RecipientValues, 'idSubscriber' | 'idForward' | 'idSingle'>,
  reader: Recipient | undefined,
  link: LinkMaker,
): TagValues {
  return {
    field: (id) => reader?.fields.get(id),
    row: (key, idField) => reader?.rows?.get(rowKey(key, idField)),
    data: (name) => reader?.data?.get(name.toLowerCase()),
    conf: (number) => confValue(source, of, number),
    link,
    now: new Date(source.conf.date),
  };
}
