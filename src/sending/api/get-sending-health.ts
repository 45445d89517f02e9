import { listProviders } from '../../accounts/provider-store.ts';
import { relaysOf } from '../../accounts/route-store.ts';
import { recentTotals } from '../../platform/event-counts.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Count, Instant, Nullable, OneOf, Type } from '../../platform/http/schema.ts';
import { deferringProviders, lastRelayStates } from '../sending-health.ts';

const RelayHealth = Closed('RelayHealth', {
  relay: Nullable(
    Type.String({
      description: 'Host and port; null for callers without the right admin',
      examples: ['smtp.example.com:587'],
    }),
  ),
  state: OneOf(
    ['up', 'down', 'unknown'],
    'Whether it accepted a connection when messages were last sent through it. unknown means that it was not used in ' +
      'the last 24 hours',
  ),
  at: Nullable(
    Instant(
      'When messages were last sent through it by any site, or tried to be; null: not in the last 24 hours, and for ' +
        'callers without the right admin',
    ),
  ),
});

const DeferringProvider = Closed('DeferringProvider', {
  idFai: Count('The provider'),
  isp: Type.String({ description: 'Name of the provider; empty if it no longer exists' }),
  nbAttempts: Count('Attempts to deliver a message to it in the last 10 to 20 minutes'),
  nbDeferred: Count('Attempts that it deferred'),
  since: Instant('From when on it has deferred at least a tenth of the attempts, within the last six hours'),
});

export const getSendingHealth = siteOperation({
  id: 'getSendingHealth',
  method: 'GET',
  path: '/sending-health',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get the health of the relays',
  description:
    'The relays that the site sends through with their last known state, and the mailbox providers that defer its ' +
    'messages now: at least 10, and at least a tenth of the attempts. The service keeps no connections to relays ' +
    'while nothing is sent, so their state is that of the last sending. Callers without the right admin get the ' +
    'states without names and times.',
  reply: Closed('SendingHealth', {
    isMailKept: Bool('Whether the site has no relay, so that the built-in mailbox keeps all of its messages'),
    relays: Type.Array(RelayHealth, { description: 'In order of preference' }),
    deferringProviders: Type.Array(DeferringProvider, {}),
  }),
  async handle({ app, db, caller }) {
    const { control } = app;
    const idSite = db.site.id;
    const relays = (await relaysOf(app, idSite)).map(({ host, port }) => `${host}:${port}`);
    const states = new Map((await lastRelayStates(control, relays)).map((one) => [one.relay, one]));
    // Sites share relays: a time tells when another one sent.
    const showsNames = caller.rights.has('admin');
    const deferring = deferringProviders(await recentTotals(control, idSite));
    const names = new Map(
      (deferring.length > 0 ? await listProviders(control) : []).map(({ id, name }) => [id, name]),
    );
    return {
      isMailKept: relays.length === 0,
      relays: [...new Set(relays)].map((relay) => {
        const known = states.get(relay);
        const state = known ? (known.isUp ? ('up' as const) : ('down' as const)) : ('unknown' as const);
        return showsNames ? { relay, state, at: known?.at ?? null } : { relay: null, state, at: null };
      }),
      deferringProviders: deferring.map(({ idProvider, ...counts }) => ({
        ...{ idFai: idProvider, isp: names.get(idProvider) ?? '' },
        ...counts,
      })),
    };
  },
});
