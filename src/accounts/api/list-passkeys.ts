import { callerOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { PasskeySchema } from '../passkey.ts';
import { listPasskeys as findPasskeys } from '../passkey-store.ts';

export const listPasskeys = callerOperation({
  id: 'listPasskeys',
  method: 'GET',
  path: '/me/passkeys',
  tag: 'Session',
  summary: 'List your passkeys',
  description: 'The passkeys by which the user signs in without their password, the oldest first.',
  reply: Type.Array(PasskeySchema),
  handle: ({ db, caller }) => findPasskeys(db, caller.idUser),
});
