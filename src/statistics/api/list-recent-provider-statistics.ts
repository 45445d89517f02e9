import { listProviders } from '../../accounts/provider-store.ts';
import { providerResultsSince } from '../../activity/provider-day-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Count, Query, Type } from '../../platform/http/schema.ts';
import { firstDayOf, PeriodDays } from '../growth.ts';
import { nameOfProvider } from '../provider-statistics.ts';

const ProviderResults = Closed('ProviderResults', {
  idFai: Count('The provider; 0 for recipients whose domain belongs to no provider'),
  isp: Type.String({ description: 'Name of the provider; Others for 0' }),
  nbSent: Count('Recipients to whom a message was sent'),
  nbNotDelivered: Count('Recipients whose message was refused, expired or bounced'),
  nbHumanOpeners: Count('Recipients who opened or clicked, machines left out'),
});

export const listRecentProviderStatistics = siteOperation({
  id: 'listRecentProviderStatistics',
  method: 'GET',
  path: '/statistics/recent-providers',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the deliveries of recent days by provider',
  description:
    'All sendings of the site together, by mailbox provider, the largest first; test mailings are left out. A ' +
    'recipient counts on the day when their message was sent, once their part of the sending is finished. Figures of ' +
    'the last minute may be missing.',
  query: Query({ nbDays: PeriodDays }),
  reply: Type.Array(ProviderResults),
  async handle({ app, db, now, query: { nbDays } }) {
    const results = await providerResultsSince(db, firstDayOf(now, nbDays));
    const names = new Map((await listProviders(app.control)).map(({ id, name }) => [id, name]));
    return results.map(({ idProvider, ...counts }) => ({
      ...{ idFai: idProvider, isp: nameOfProvider(idProvider, names) },
      ...counts,
    }));
  },
});
