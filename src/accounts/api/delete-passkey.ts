import { callerOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { deletePasskey as removePasskey } from '../passkey-store.ts';

export const deletePasskey = callerOperation({
  id: 'deletePasskey',
  method: 'DELETE',
  path: '/me/passkeys/{idpasskey}',
  tag: 'Session',
  summary: 'Delete a passkey',
  description: 'The passkey no longer signs its user in; sessions that it began continue.',
  params: Params({ idpasskey: Id('passkey') }),
  reply: Bool(),
  refusals: [404],
  async handle({ app, db, params: { idpasskey }, caller: { idUser } }) {
    if (!(await removePasskey(db, idUser, idpasskey))) throw notFound('Passkey');
    app.log.info({ idUser, idPasskey: idpasskey }, 'a passkey was deleted');
    return true;
  },
});
