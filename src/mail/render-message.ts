import type { RecipientLink } from '../contents/tag.ts';
import { keptIn } from '../platform/remembered.ts';
import { confText } from './compile-message.ts';
import { isHeaderAddress } from './header-text.ts';
import { type PieceValues, writePieces } from './message-program.ts';
import type { CompiledMessage, MessageSource, RecipientValues, RenderedMessage } from './message-source.ts';
import { MessageWriter } from './message-writer.ts';

/**
 * The Message-ID of a recipient's message, without brackets. It is the same over all retries and restarts. A forwarded
 * message, and each single send, has its own, because receivers would treat it as a duplicate where both arrive.
 */
export function messageIdOf(
  {
    conf,
    messageIdDomain,
    messageIdRandom,
  }: Pick<MessageSource, 'conf' | 'messageIdDomain' | 'messageIdRandom'>,
  { idSubscriber, idForward, idSingle }: Pick<RecipientValues, 'idSubscriber' | 'idForward' | 'idSingle'>,
): string {
  const ofSubscriber = idSingle === undefined ? idSubscriber : `m${idSingle}`;
  const whose = idForward === undefined ? ofSubscriber : `f${idForward}`;
  const random = messageIdRandom === undefined ? '' : `.${messageIdRandom}`;
  return `${conf.idSite}.${conf.idSent}.${whose}${random}@${messageIdDomain}`;
}

/** The value of CONF.n for a recipient. CONF.8 is the subscriber, and 0 in a forwarded message. */
export function confValue(
  source: MessageSource,
  of: Pick<RecipientValues, 'idSubscriber' | 'idForward' | 'idSingle'>,
  number: number,
): string {
  if (number === 8) return of.idForward === undefined ? String(of.idSubscriber) : '0';
  if (number === 9) return messageIdOf(source, of);
  return confText(source.conf, number) ?? '';
}

/**
 * Makes one recipient's message.
 * @throws Error if the address cannot be in a header; the engine records such a recipient as refused.
 */
export function render(compiled: CompiledMessage, recipient: RecipientValues): RenderedMessage {
  if (!isHeaderAddress(recipient.email)) throw new Error('The email address cannot be written in a header');
  const { program } = compiled;
  const values = valuesOf(compiled, recipient);
  const writer = new MessageWriter(program.likelySize);
  writePieces(program.headers, writer, values);
  const headersEnd = writer.length;
  writer.bytes(emptyLine);
  const bodyStart = writer.length;
  writePieces(program.body, writer, values);
  const end = writer.length;
  if (end > program.likelySize) program.likelySize = end;
  return {
    headers: writer.view(0, headersEnd),
    body: writer.view(bodyStart, end),
    message: writer.view(0, end),
  };
}

const emptyLine = Buffer.from('\r\n', 'latin1');

function valuesOf({ source, fields, program }: CompiledMessage, recipient: RecipientValues): PieceValues {
  // HTML and text contain the same links: each is signed once (1.6 µs), then found here.
  const links = new Map<RecipientLink | number, string>();
  return {
    email: recipient.email,
    date: recipient.date,
    now: program.now,
    messageId: messageIdOf(source, recipient),
    // A message needs a few fields: searching them is faster than a map.
    field: (id) => recipient.fields[fields.indexOf(id)],
    data: (name) => recipient.data?.get(name.toLowerCase()),
    row: (key, idField) => recipient.row?.(key, idField),
    conf: (number) => confValue(source, recipient, number),
    link: (kind, idLink) => keptIn(links, idLink ?? kind, () => recipient.linkFor(kind, idLink)),
  };
}
