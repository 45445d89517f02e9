import { adminOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { revokeToken as endToken } from '../token-store.ts';

export const revokeToken = adminOperation({
  id: 'revokeToken',
  method: 'DELETE',
  path: '/tokens/{idToken}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Revoke a token',
  description: 'The token is refused everywhere within two seconds, and stays in the list.',
  params: Params({ idToken: Id('token') }),
  reply: Bool(),
  handle: async ({ db, params, now }) => found(await endToken(db, params.idToken, now), 'Token'),
});
