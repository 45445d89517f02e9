import { listProviders, providersByDomain } from '../../accounts/provider-store.ts';
import { countersByProvider } from '../../activity/provider-counter-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { jobOfSending } from '../job-row-store.ts';
import { nameOfProvider, ProviderStatistics, showProvider } from '../provider-statistics.ts';

export const getProviderStatistics = siteOperation({
  id: 'getProviderStatistics',
  method: 'GET',
  path: '/statistics/providers',
  right: 'read',
  tag: 'Statistics',
  summary: 'Get the statistics of a sending by provider',
  description:
    'One record for each mailbox provider with recipients in the sending, in the order of their ids; 0 holds the ' +
    'recipients of all other domains. The records add up to the statistics of the sending. A recipient keeps the ' +
    'provider that their domain had when their part of the sending finished.',
  query: Query({ idJob: Id('job'), idSent: Id('sent') }),
  reply: Type.Array(ProviderStatistics),
  refusals: [404],
  async handle({ app, db, query: { idJob, idSent } }) {
    const job = found(await jobOfSending(db, idJob, idSent), 'Sending');
    const counted = await countersByProvider(db, idSent, await providersByDomain(app.control));
    const names = new Map((await listProviders(app.control)).map(({ id, name }) => [id, name]));
    return counted.map((one) => showProvider(one, job.senderDomain, nameOfProvider(one.idProvider, names)));
  },
});
