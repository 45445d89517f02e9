import { openOperation } from '../../platform/http/operation.ts';
import { Closed, Nullable, Type } from '../../platform/http/schema.ts';
import { hasPasskeys } from '../passkey.ts';
import { routeHosts } from '../route-store.ts';

export const getSignInMethods = openOperation({
  id: 'getSignInMethods',
  method: 'GET',
  path: '/session/methods',
  tag: 'Session',
  summary: 'Get the ways to sign in',
  description: 'The ways that a sign-in page offers besides the password.',
  reply: Closed('SignInMethods', {
    passkeys: Type.Boolean({
      description: 'Whether passkeys work: browsers have them for the name of a host, not for an IP address',
    }),
    provider: Nullable(
      Closed('SignInProvider', {
        name: Type.String({
          description: 'The name of the accounts, as users know it (FACTEUR_OIDC_NAME)',
        }),
      }),
    ),
    passwordLinks: Type.Boolean({
      description:
        'Whether a relay is configured, which need not be one of the sites of the user. Without one, links for a new ' +
        'password stay in the built-in mailbox',
    }),
  }),
  async handle({ db, app: { config, publicUrl } }) {
    return {
      passkeys: hasPasskeys(publicUrl),
      provider: config.oidc ? { name: config.oidc.name } : null,
      passwordLinks: config.smtpUrl !== undefined || (await routeHosts(db)).length > 0,
    };
  },
});
