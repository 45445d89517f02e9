import { adminOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { TokenSchema } from '../token.ts';
import { listTokens as readTokens } from '../token-store.ts';

export const listTokens = adminOperation({
  id: 'listTokens',
  method: 'GET',
  path: '/tokens',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the tokens',
  description: 'Expired and revoked ones too. The text of a token is never told again.',
  reply: Type.Array(TokenSchema),
  handle: ({ db }) => readTokens(db),
});
