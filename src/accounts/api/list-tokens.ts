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
  description: 'Includes expired and revoked tokens. The token itself is never shown again.',
  reply: Type.Array(TokenSchema),
  handle: ({ db }) => readTokens(db),
});
