import type { TagError } from '../contents/tag.ts';
import type { Compiled } from '../contents/tag-compiler.ts';
import { fillTags } from '../contents/tag-filler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { addressHeader, isHeaderAddress, textHeader } from './header-text.ts';
import { type Constant, headerPiece, type Piece } from './message-program.ts';
import { type MessageSource, tagOptionsOf } from './message-source.ts';

/** Compiles every header line except those of the body's type. */
export function compileHeaders(source: MessageSource, constant: Constant) {
  const options = { kind: 'header', ...tagOptionsOf(source) } as const;
  const subject = compileTags(source.subject, options);
  const from = compileTags(source.from.alias, options);
  const replyTo = compileTags(source.replyTo?.alias ?? '', options);
  const recipient = compileTags(source.recipientAlias, options);
  const literal = (text: string): Piece => Buffer.from(text, 'utf8');
  const mailbox = (name: string, { nodes }: Compiled, email: string): Piece =>
    headerPiece(nodes, constant, (alias) => addressHeader(name, alias, email));
  const pieces: Piece[] = [
    (writer, values) => writer.text(`Date: ${mailDate(values.date ?? source.conf.date)}\r\n`),
    // RFC 4021: once, otherwise mail programs ignore all of them.
    ...(source.expires === undefined ? [] : [literal(`Expires: ${mailDate(source.expires)}\r\n`)]),
    mailbox('From', from, source.from.email),
    ...(source.replyTo ? [mailbox('Reply-To', replyTo, source.replyTo.email)] : []),
    (writer, values) => writer.text(addressHeader('To', fillTags(recipient.nodes, values), values.email)),
    headerPiece(subject.nodes, constant, (value) => textHeader('Subject', value)),
    (writer, values) => writer.text(`Message-ID: <${values.messageId}>\r\n`),
    ...(source.listId === '' ? [] : [literal(`List-Id: <${source.listId}>\r\n`)]),
    ...(source.hasListUnsubscribe ? listUnsubscribe : []),
    ...(source.hasListUnsubscribe && source.hasOneClick !== false ? [oneClick] : []),
    ...(source.feedbackId === '' ? [] : [literal(`Feedback-ID: ${source.feedbackId}\r\n`)]),
    literal('Precedence: bulk\r\nMIME-Version: 1.0\r\n'),
  ];
  return { pieces, compiled: [subject, from, replyTo, recipient], errors: headerErrors(source) };
}

const mailDate = (iso: string): string => new Date(iso).toUTCString().replace('GMT', '+0000');

const listUnsubscribe: readonly Piece[] = [
  (writer, values) => writer.text(`List-Unsubscribe: <${values.link('unsub')}>\r\n`),
];
// RFC 8058: mail programs post to the address without showing it; the page at the address is for people.
const oneClick = Buffer.from('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n', 'latin1');

const oneLine = /^[^\x00-\x1f\x7f\u2028\u2029]*$/;
const token = /^[\x21-\x7e]*$/;

// Refused here, not only cleaned: frozen contents were checked when they were stored, so this is a defect or an attack.
function headerErrors(source: MessageSource): TagError[] {
  const { subject, from, replyTo, recipientAlias, listId, feedbackId, messageIdDomain, conf } = source;
  const check = (isRight: (text: string) => boolean, why: string, texts: Readonly<Record<string, string>>) =>
    Object.entries(texts)
      .filter(([, text]) => !isRight(text))
      .map(([tag]): TagError => ({ code: 'damaged_content', tag, position: 0, message: `${tag}: ${why}` }));
  const lines = { subject, senderAlias: from.alias, responseAlias: replyTo?.alias ?? '', recipientAlias };
  const addresses = { senderEMail: from.email, ...(replyTo && { responseEMail: replyTo.email }) };
  return [
    ...check((text) => oneLine.test(text), 'must be one line', lines),
    ...check((text) => token.test(text), 'must be plain ASCII', {
      listId,
      feedbackId,
      messageIdDomain,
      idSite: conf.idSite,
    }),
    ...check(isHeaderAddress, 'is not an email address', addresses),
  ];
}
