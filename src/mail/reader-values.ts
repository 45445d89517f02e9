import type { FieldValue, RecipientLink } from '../contents/tag.ts';
import type { TagValues } from '../contents/tag-filler.ts';
import type { CompiledMessage, MessageSource, RecipientValues, RenderedMessage } from './message-source.ts';
import { type Recipient, rowKey } from './recipient.ts';
import { confValue, render } from './render-message.ts';

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

/** Makes a recipient's message. @throws as `render` */
export function renderFor(
  compiled: CompiledMessage,
  { id: idSubscriber, fields, rows, ...recipient }: Recipient,
  linkFor: LinkMaker,
): RenderedMessage {
  return render(compiled, {
    ...recipient,
    idSubscriber,
    fields: compiled.fields.map((id): FieldValue => fields.get(id) ?? null),
    row: (key, idField) => rows?.get(rowKey(key, idField)),
    linkFor,
  });
}

/** The fields and rows that these messages need of their recipients. */
export function needsOf(compiled: readonly CompiledMessage[]) {
  const used = new Set(compiled.flatMap((one) => one.fields));
  const rows = new Map(
    compiled.flatMap((one) => one.rows.map((row) => [rowKey(row.key, row.idField), row] as const)),
  );
  const fields = compiled[0]?.source.fields.filter((field) => used.has(field.id)) ?? [];
  return { fields, rows: [...rows.values()] };
}
