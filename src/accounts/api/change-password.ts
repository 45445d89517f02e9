import { hash } from '@node-rs/argon2';
import { callerOperation } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { Bool, Closed, Type } from '../../platform/http/schema.ts';
import { entryLimits, userOfPassword } from '../sign-in.ts';
import { PasswordOfUser } from '../user.ts';
import { findUser, setPassword } from '../user-store.ts';

export const changePassword = callerOperation({
  id: 'changePassword',
  method: 'PUT',
  path: '/me/password',
  tag: 'Session',
  summary: 'Change your own password',
  description:
    'Ends all other sessions of the user. Tokens stay valid. A wrong current password is rejected (422) and counts ' +
    'as a failed sign-in.',
  body: Closed('PasswordChange', {
    currentPassword: Type.String({ title: 'String', minLength: 1, maxLength: 200 }),
    newPassword: PasswordOfUser(),
  }),
  example: { currentPassword: 'correct horse battery', newPassword: 'another horse battery' },
  reply: Bool(),
  refusals: [422],
  // Each computes two hashes of 19 MiB.
  atOnce: 8,
  async handle({ db, body, caller: { idUser, idSession }, address }) {
    const wrong = refused('currentPassword: is incorrect');
    const email = (await findUser(db, idUser))?.email ?? '';
    const wasRight = await entryLimits(db).countPassword(email, address);
    const user = await userOfPassword(db, email, body.currentPassword);
    if (!user) throw wrong;
    await wasRight();
    const passwordHash = await hash(body.newPassword);
    // The password that was compared may have been changed in the meantime, by an administrator or a link.
    const kept = { idSessionKept: idSession, replaced: user.passwordHash };
    if (!(await db.transaction((tx) => setPassword(tx, idUser, passwordHash, kept)))) throw wrong;
    return true;
  },
});
