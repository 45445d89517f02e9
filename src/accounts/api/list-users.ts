import { adminOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { UserSchema } from '../user.ts';
import { listUsers as readUsers } from '../user-store.ts';

export const listUsers = adminOperation({
  id: 'listUsers',
  method: 'GET',
  path: '/users',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the users',
  reply: Type.Array(UserSchema),
  handle: ({ db }) => readUsers(db),
});
