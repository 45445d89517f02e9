import { openOperation } from '../../platform/http/operation.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { Closed, Type } from '../../platform/http/schema.ts';
import { meOfUser } from '../me.ts';
import { finishOidc } from '../oidc.ts';
import { MeSchema } from '../session.ts';
import { createSession } from '../session-store.ts';
import { entryLimits } from '../sign-in.ts';
import { userOfOidc } from '../user-store.ts';

export const finishProviderSignIn = openOperation({
  id: 'finishProviderSignIn',
  method: 'POST',
  path: '/session/provider',
  tag: 'Session',
  summary: 'Sign in with an account of the company',
  description:
    'Sets the cookie of a session, as signIn does, for the user who has signed in with this account before, or else ' +
    'has its verified address; the account is theirs from then on. An account that belongs to no user is rejected ' +
    '(403): an administrator creates users.',
  body: Closed('ProviderSignIn', {
    secret: Type.String({ title: 'String', minLength: 1, maxLength: 2_000 }),
    parameters: Type.String({
      title: 'String',
      minLength: 1,
      maxLength: 8_000,
      description: 'The query of the address that the provider sent the browser to',
    }),
  }),
  example: {
    secret: 'YW4gYXR0ZW1wdCB0byBzaWduIGlu',
    parameters: 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj&iss=https%3A%2F%2Faccounts.example.com',
  },
  reply: MeSchema,
  refusals: [403, 404, 422, 503],
  async handle({ app, db, body, address, setSessionCookie, now }) {
    await entryLimits(db).countOther(address);
    const account = await finishOidc(app, body, now);
    const user = await userOfOidc(db, account);
    const text = user && (await createSession(db, user, now));
    if (!user || text === undefined) {
      app.log.warn({ address, subject: account.subject }, 'sign-in refused: no user has this account');
      throw new Refusal(
        403,
        'forbidden',
        account.email === undefined
          ? 'The provider has not verified the address of this account; sign in with your password'
          : `No user of this installation has the address ${account.email}; ask an administrator to add you`,
      );
    }
    app.log.info({ idUser: user.id, address }, 'signed in at the provider of accounts');
    setSessionCookie(text);
    return meOfUser(app, user.id);
  },
});
