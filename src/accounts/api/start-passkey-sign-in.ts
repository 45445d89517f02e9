import { openOperation } from '../../platform/http/operation.ts';
import { PasskeySignInRequestSchema, placeOf, requestPasskeySignIn } from '../passkey.ts';
import { entryLimits } from '../sign-in.ts';

export const startPasskeySignIn = openOperation({
  id: 'startPasskeySignIn',
  method: 'POST',
  path: '/session/passkey/start',
  tag: 'Session',
  summary: 'Begin to sign in with a passkey',
  description:
    'Returns a challenge for a passkey to sign. signInWithPasskey accepts the signature, within 5 minutes. ' +
    'Rejected (422) where browsers have no passkeys: at an IP address, and without https.',
  reply: PasskeySignInRequestSchema,
  refusals: [422],
  async handle({ app, db, address, origin, now }) {
    await entryLimits(db).countOther(address);
    return requestPasskeySignIn(app, placeOf(app, origin), now);
  },
});
