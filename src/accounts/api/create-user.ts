import { adminOperation } from '../../platform/http/operation.ts';
import { Closed } from '../../platform/http/schema.ts';
import { EmailOfUser, emailOfUser, optionalOfUser, UserName, UserSchema } from '../user.ts';
import { findUser, createUser as makeUser, setSitesOfUser } from '../user-store.ts';

export const createUser = adminOperation({
  id: 'createUser',
  method: 'POST',
  path: '/users',
  right: 'admin',
  tag: 'Administration',
  summary: 'Create a user',
  description:
    'Notices go to the email address. Without a password, the user cannot sign in and works with tokens only. A user ' +
    'who is signed in has the role that `sites` gives them on each site; an administrator has all rights everywhere.',
  body: Closed('UserInput', {
    name: UserName(),
    email: EmailOfUser(),
    ...optionalOfUser,
  }),
  example: { name: 'Ada', email: 'ada@example.com', sites: [{ name: 'demo', role: 'editor' }] },
  reply: UserSchema,
  refusals: [404, 409],
  handle: ({ db, body, now }) =>
    db.transaction(async (tx) => {
      const { id } = await makeUser(tx, { ...body, email: emailOfUser(body.email) }, now);
      await setSitesOfUser(tx, id, body.sites ?? []);
      return (await findUser(tx, id))!;
    }),
});
