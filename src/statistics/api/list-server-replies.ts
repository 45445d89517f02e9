import { providersByDomain } from '../../accounts/provider-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Count, Id, Query, Type } from '../../platform/http/schema.ts';
import { jobOfSent } from '../../sending/sent-store.ts';
import { ServerReply, sumServerReplies } from '../replies.ts';

export const listServerReplies = siteOperation({
  id: 'listServerReplies',
  method: 'GET',
  path: '/statistics/server-replies',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the replies of mail servers to a sending',
  description:
    'By code, the most frequent first, at most 100: rejections, deferrals of messages that were given up or are ' +
    'retried, and bounces. `listStatisticsPeople` lists the recipients of each. The time grows with these ' +
    'recipients, and not with the accepted ones. While the job runs, the log of its unfinished ranges is read as well.',
  query: Query({
    idSent: Id('sent'),
    idFai: Type.Optional(
      Count('Only recipients of this mailbox provider, as getProviderStatistics names it; 0: of none'),
    ),
  }),
  reply: Type.Array(ServerReply),
  refusals: [404],
  async handle({ app, db, query: { idSent, idFai: id } }) {
    if (!(await jobOfSent(db, idSent))) throw notFound('Sending');
    const provider = id === undefined ? undefined : { id, providers: await providersByDomain(app.control) };
    return sumServerReplies(db, idSent, provider);
  },
});
