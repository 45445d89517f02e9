import type { FieldValue } from '../contents/tag.ts';
import type { CompiledMessage, RenderedMessage } from './message-source.ts';
import type { LinkMaker } from './reader-values.ts';
import { type Recipient, rowKey } from './recipient.ts';
import { render } from './render-message.ts';

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
