import { adminOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Closed, IdOf, Params, Type } from '../../platform/http/schema.ts';
import { readMailboxMessage } from '../mailbox-store.ts';

export const getMailboxMessage = adminOperation({
  id: 'getMailboxMessage',
  method: 'GET',
  path: '/mailbox/{idMessage}',
  right: 'admin',
  tag: 'Mailbox',
  summary: 'Get a message of the built-in mailbox',
  params: Params({
    idMessage: IdOf('mailboxMessage', Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  }),
  reply: Closed('RawMessage', {
    raw: Type.String({ description: 'Headers and body, one character for each byte' }),
  }),
  async handle({ db, params, now }) {
    const raw = found(await readMailboxMessage(db, params.idMessage, now), 'Message');
    return { raw: raw.toString('latin1') };
  },
});
