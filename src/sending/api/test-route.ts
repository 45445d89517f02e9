import { RateLimiterMemory } from 'rate-limiter-flexible';
import { routesOf } from '../../accounts/route-store.ts';
import { siteAdministration } from '../../accounts/site-administration.ts';
import { refuseWhileHeld } from '../../installation/installation-store.ts';
import { clientNameOf } from '../../mail/relay-server.ts';
import { RouteTrialSchema, tryRoute } from '../../mail/route-trial.ts';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { normaliseEmail } from '../../platform/email-address.ts';
import { consume } from '../../platform/http/consume.ts';
import { found, invalid, refused } from '../../platform/http/refusal.ts';
import { Closed, Id, Line, Type } from '../../platform/http/schema.ts';
import { remembered } from '../../platform/remembered.ts';
import { friendHash } from '../forward.ts';
import { isBarred } from '../single-message-store.ts';

/** Messages that a site can send by this operation in an hour, from each process. */
export const trialsAnHour = 20;

const limitOf = remembered(
  (_control: Database) => new RateLimiterMemory({ points: trialsAnHour, duration: 3_600 }),
);

export const testRoute = siteAdministration({
  id: 'testRoute',
  method: 'POST',
  path: '/routes/{idRoute}/test',
  summary: 'Send a test message through an SMTP route',
  description:
    'Sends one short message at once and returns what the relay replied, within 20 seconds. A relay that cannot be ' +
    'reached, or that rejects the sign-in or the message, is a result and not an error: `failedStep` and `text` say ' +
    'why. An accepted message may still bounce later. Addresses that are unsubscribed, bounced or complained are ' +
    `rejected (422). A site can send ${trialsAnHour} of these messages an hour (429).`,
  atOnce: 4,
  params: { idRoute: Id('route') },
  body: Closed('RouteTrialInput', {
    email: Line(254, 'The recipient'),
    senderEMail: Type.Optional(
      Line(254, 'The address in From. Default: facteur@ and the host of the public address'),
    ),
  }),
  example: { email: 'ada@example.com', senderEMail: 'news@shop.example' },
  reply: RouteTrialSchema,
  refusals: [409, 422],
  handle: async ({ db, app, site, idSite, params, body, now }) => {
    const to = addressOf('email', body.email);
    const from = body.senderEMail
      ? addressOf('senderEMail', body.senderEMail)
      : `facteur@${clientNameOf(app)}`;
    const routes = await routesOf(db, app.secrets, idSite);
    const route = found(
      routes.find(({ id }) => id === params.idRoute),
      'Route',
    );
    await refuseWhileHeld(db);
    const barred = isBarred(site.t, sql`${friendHash(app.secrets, idSite, to)}::bytea`, sql`${to}::text`);
    if (await site.value<boolean>(sql`select ${barred}`))
      throw refused(`email: ${to} must not get messages: unsubscribed, bounced or complained`);
    await consume(limitOf(db), idSite);
    return tryRoute(app, route, { from, to, idSite, at: now });
  },
});

function addressOf(property: string, text: string): string {
  const address = normaliseEmail(text);
  if (address === undefined) throw invalid(`${property}: must be an email address`);
  return address;
}
