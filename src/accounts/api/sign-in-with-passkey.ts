import { openOperation } from '../../platform/http/operation.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { meOfUser } from '../me.ts';
import { PasskeySignInSchema, placeOf, verifyPasskeySignIn } from '../passkey.ts';
import { findPasskey, usePasskey } from '../passkey-store.ts';
import { MeSchema } from '../session.ts';
import { createSession } from '../session-store.ts';
import { entryLimits } from '../sign-in.ts';

const unknown = () =>
  new Refusal(
    401,
    'unauthenticated',
    'This passkey belongs to no user here; use another one, or your password',
  );

export const signInWithPasskey = openOperation({
  id: 'signInWithPasskey',
  method: 'POST',
  path: '/session/passkey',
  tag: 'Session',
  summary: 'Sign in with a passkey',
  description:
    'Sets the cookie of a session, as signIn does. A passkey that belongs to no user or to a disabled one, and a ' +
    'signature that was used before, are rejected (401). A signature that is not valid or too late is rejected ' +
    '(422). The browser must verify the user (`userVerification: required`).',
  body: PasskeySignInSchema,
  example: {
    secret: 'YW4gYXR0ZW1wdCB0byBzaWduIGlu',
    credential: 'AZ3wVbUbQ8mYk3TnJw',
    clientData: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
    signature: 'MEUCIQDQcE8',
  },
  reply: MeSchema,
  refusals: [401, 422],
  async handle({ app, db, body, address, origin, setSessionCookie, now }) {
    await entryLimits(db).countOther(address);
    const passkey = await findPasskey(db, Buffer.from(body.credential, 'base64url'));
    if (!passkey) throw unknown();
    const use = await verifyPasskeySignIn(app, placeOf(app, origin), passkey, body, now);
    if (!(await usePasskey(db, { id: passkey.id, ...use }, now))) throw unknown();
    const text = await createSession(db, { id: passkey.idUser }, now);
    if (text === undefined) throw unknown();
    app.log.info({ idUser: passkey.idUser, idPasskey: passkey.id, address }, 'signed in with a passkey');
    setSessionCookie(text);
    return meOfUser(app, passkey.idUser);
  },
});
