import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { getJobOf } from '../../sending/job-store.ts';
import { ShortSentWithSegment, showShortSent } from '../../sending/sent.ts';
import { sentsOfJob } from '../../sending/sent-store.ts';

export const listJobSendingsShort = siteOperation({
  id: 'listJobSendingsShort',
  method: 'GET',
  path: '/campaigns/job-sendings/short',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List the sendings of a campaign job, short',
  query: Query({ idCampaign: Id('campaign'), idJob: Id('job') }),
  reply: Type.Array(ShortSentWithSegment),
  refusals: [404],
  handle: async ({ db, query }) => {
    const job = await getJobOf(db, query.idCampaign, query.idJob);
    return (await sentsOfJob(db, job.idCampaign, job.id)).map(showShortSent);
  },
});
