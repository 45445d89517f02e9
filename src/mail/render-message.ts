import type { FieldValue, RecipientLink } from '../contents/tag.ts';
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

/** Returns the value of CONF.8; empty in a forwarded message. */
export function subscriberText({
  idSubscriber,
  idForward,
}: Pick<RecipientValues, 'idSubscriber' | 'idForward'>): string {
  return idForward === undefined ? String(idSubscriber) : '0';
}

/**
 * Makes one recipient's message.
 * @throws Error if the address cannot be in a header; the engine records such a recipient as refused.
 */
export function render(compiled: CompiledMessage, recipient: RecipientValues): RenderedMessage {
  if (!isHeaderAddress(recipient.email)) throw new Error('The email address cannot be written in a header');
  const { program } = compiled;
  const values = new RecipientPieces(compiled, recipient);
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

class RecipientPieces implements PieceValues {
  readonly email: string;
  readonly date: string | undefined;
  readonly now: Date;
  readonly #compiled: CompiledMessage;
  readonly #recipient: RecipientValues;
  // HTML and text contain the same links: each is signed once (1.6 µs), then found here.
  readonly #links = new Map<RecipientLink | number, string>();

  constructor(compiled: CompiledMessage, recipient: RecipientValues) {
    this.email = recipient.email;
    this.date = recipient.date;
    this.now = compiled.program.now;
    this.#compiled = compiled;
    this.#recipient = recipient;
  }

  get messageId(): string {
    return messageIdOf(this.#compiled.source, this.#recipient);
  }

  field(id: number): FieldValue | undefined {
    // A message needs a few fields: searching them is faster than a map.
    return this.#recipient.fields[this.#compiled.fields.indexOf(id)];
  }

  data(name: string): string | undefined {
    return this.#recipient.data?.get(name.toLowerCase());
  }

  row(key: string, idField: number): string | undefined {
    return this.#recipient.row?.(key, idField);
  }

  conf(number: number): string {
    if (number === 8) return subscriberText(this.#recipient);
    if (number === 9) return this.messageId;
    return confText(this.#compiled.source.conf, number) ?? '';
  }

  link(kind: RecipientLink, idLink?: number): string {
    const key = idLink ?? kind;
    const known = this.#links.get(key);
    if (known !== undefined) return known;
    const link = this.#recipient.linkFor(kind, idLink);
    this.#links.set(key, link);
    return link;
  }
}
