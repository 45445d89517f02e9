import { callerOperation } from '../../platform/http/operation.ts';
import { Refusal, refused } from '../../platform/http/refusal.ts';
import { Closed, Nullable, Type } from '../../platform/http/schema.ts';
import { PasskeyRequestSchema, placeOf, requestPasskey } from '../passkey.ts';
import { credentialsOf } from '../passkey-store.ts';
import { entryLimits, userOfPassword } from '../sign-in.ts';
import { findUser } from '../user-store.ts';

export const startPasskey = callerOperation({
  id: 'startPasskey',
  method: 'POST',
  path: '/me/passkeys/start',
  tag: 'Session',
  summary: 'Begin to add a passkey',
  description:
    'Returns the request that the page hands to the browser. createPasskey accepts the passkey that the browser ' +
    'made, within 5 minutes; the browser must verify the user (`userVerification: required`). A user who has a ' +
    'password gives it once more, because a passkey outlasts the session; a wrong one counts as a failed sign-in ' +
    '(422). Others give null. Only a session may add a passkey (403).',
  body: Closed('PasskeyStart', {
    currentPassword: Nullable(Type.String({ title: 'String', minLength: 1, maxLength: 200 })),
  }),
  example: { currentPassword: 'correct horse battery' },
  reply: PasskeyRequestSchema,
  refusals: [403, 422],
  // Each computes a hash of 19 MiB.
  atOnce: 8,
  async handle({ app, db, body, caller: { idUser, idSession }, address, origin, now }) {
    if (idSession === null) throw new Refusal(403, 'forbidden', 'Sign in to add a passkey: a token may not');
    const place = placeOf(app, origin);
    const user = await findUser(db, idUser);
    const email = user?.email ?? '';
    if (user?.hasPassword) {
      const wasRight = await entryLimits(db).countPassword(email, address);
      if (!(await userOfPassword(db, email, body.currentPassword ?? '')))
        throw refused('currentPassword: is incorrect');
      await wasRight();
    }
    const credentials = await credentialsOf(db, idUser);
    return requestPasskey(app, place, { id: idUser, email, credentials }, now);
  },
});
