import { callerOperation } from '../../platform/http/operation.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { NewPasskeySchema, PasskeySchema, placeOf, verifyNewPasskey } from '../passkey.ts';
import { createPasskey as storePasskey } from '../passkey-store.ts';

export const createPasskey = callerOperation({
  id: 'createPasskey',
  method: 'POST',
  path: '/me/passkeys',
  tag: 'Session',
  summary: 'Add a passkey',
  description:
    'Stores what the browser made in answer to startPasskey. Rejected (422) when it is not valid or too late, and ' +
    '(409) when the passkey is already registered or the user has 20. Only a session may add one (403).',
  body: NewPasskeySchema,
  example: {
    secret: 'YW4gYXR0ZW1wdCB0byBhZGQgYSBwYXNza2V5',
    name: 'My laptop',
    credential: 'AZ3wVbUbQ8mYk3TnJw',
    clientData: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestation: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ',
    transports: ['internal'],
  },
  reply: PasskeySchema,
  refusals: [403, 409, 422],
  async handle({ app, db, body, caller: { idUser, idSession }, origin, now }) {
    if (idSession === null) throw new Refusal(403, 'forbidden', 'Sign in to add a passkey: a token may not');
    const made = await verifyNewPasskey(app, placeOf(app, origin), idUser, body, now);
    const passkey = await storePasskey(db, idUser, { ...made, name: body.name }, now);
    app.log.info({ idUser, idPasskey: passkey.id }, 'a passkey was added');
    return passkey;
  },
});
