import type { Database } from '../../platform/db/database.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { conflict, notFound } from '../../platform/http/refusal.ts';
import { Bool, Closed, Id, Maybe, Params, ReadOnly } from '../../platform/http/schema.ts';
import { EmailOfUser, emailOfUser, optionalOfUser, UserName, UserSchema } from '../user.ts';
import { updateUser as changeUser, findUser, findUserByEmail, setSitesOfUser } from '../user-store.ts';

export const updateUser = adminOperation({
  id: 'updateUser',
  method: 'PUT',
  path: '/users/{idUser}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Change, disable or enable a user',
  description:
    'Omitted and null properties keep their values, except that a null password removes it. `sites` replaces all ' +
    'the roles that they have. Another password ends all their sessions. The tokens of a ' +
    'disabled user are rejected everywhere within two seconds, and they get no notices. Enabled again, they have ' +
    'the tokens that have not expired and were not revoked; their sessions have ended. Their objects stay, under ' +
    'their name. Users cannot disable themselves, nor give up the administration of the installation (409).',
  params: Params({ idUser: Id('user') }),
  body: Closed('UserChange', {
    name: Maybe(UserName()),
    email: Maybe(EmailOfUser()),
    isDisabled: Maybe(Bool()),
    ...optionalOfUser,
    id: ReadOnly(),
    hasPassword: ReadOnly(),
    creationDate: ReadOnly(),
  }),
  example: { name: 'Ada Lovelace', isDisabled: false },
  reply: UserSchema,
  refusals: [409],
  handle: async ({ db, params, body, caller }) => {
    const { idUser } = params;
    if (body.isDisabled && idUser === caller.idUser)
      throw conflict('Users cannot disable themselves; another administrator must do it');
    const email = await emailFor(db, idUser, body.email);
    return db.transaction(async (tx) => {
      const resigns = body.isAdministrator === false && idUser === caller.idUser;
      if (resigns && (await findUser(tx, idUser))?.isAdministrator)
        throw conflict(
          'Administrators cannot give up the administration themselves; another administrator must do it',
        );
      if (!(await changeUser(tx, idUser, { ...body, email }))) throw notFound('User');
      if (body.sites) await setSitesOfUser(tx, idUser, body.sites);
      return (await findUser(tx, idUser))!;
    });
  },
});

/** The email as it is to be kept. One that does not change stays, also that of the first user: `admin@localhost`. */
async function emailFor(db: Database, idUser: number, email: string | null | undefined) {
  if (email === null || email === undefined) return null;
  const owner = await findUserByEmail(db, email);
  return owner?.id === idUser ? email : emailOfUser(email);
}
