import { adminOperation } from '../../platform/http/operation.ts';
import { Closed, Maybe } from '../../platform/http/schema.ts';
import { EmailOfUser, emailOfUser, PasswordOfUser, UserName, UserSchema } from '../user.ts';
import { createUser as makeUser } from '../user-store.ts';

export const createUser = adminOperation({
  id: 'createUser',
  method: 'POST',
  path: '/users',
  right: 'admin',
  tag: 'Administration',
  summary: 'Create a user',
  description: 'Notices go to the email address. Without a password, the user works with tokens only.',
  body: Closed('UserInput', {
    name: UserName(),
    email: EmailOfUser(),
    password: Maybe(PasswordOfUser()),
  }),
  example: { name: 'Ada', email: 'ada@example.com' },
  reply: UserSchema,
  refusals: [409],
  handle: ({ db, body, now }) => makeUser(db, { ...body, email: emailOfUser(body.email) }, now),
});
