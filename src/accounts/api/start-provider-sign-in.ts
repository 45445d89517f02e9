import { openOperation } from '../../platform/http/operation.ts';
import { Closed, Type } from '../../platform/http/schema.ts';
import { startOidc } from '../oidc.ts';
import { entryLimits } from '../sign-in.ts';

export const startProviderSignIn = openOperation({
  id: 'startProviderSignIn',
  method: 'POST',
  path: '/session/provider/start',
  tag: 'Session',
  summary: 'Begin to sign in with an account of the company',
  description:
    'Send the browser to `url`, and keep `secret`. The provider (OpenID Connect, FACTEUR_OIDC_ISSUER) ' +
    'sends the user back to /console/oidc; finishProviderSignIn accepts the query of that address, within 10 ' +
    'minutes. Rejected (404) when no provider is configured, and (503) while it does not respond.',
  reply: Closed('StartedSignIn', {
    url: Type.String({ description: 'Where the user signs in' }),
    secret: Type.String({ description: 'Belongs to this attempt and this client' }),
  }),
  refusals: [404, 503],
  async handle({ app, db, address, now }) {
    await entryLimits(db).countOther(address);
    return startOidc(app, now);
  },
});
