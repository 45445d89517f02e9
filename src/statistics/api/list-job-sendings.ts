import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { getJobOf } from '../../sending/job-store.ts';
import { SentWithSegment, showSentWithSegment } from '../../sending/sent.ts';
import { advertisementsOfJob, sentsOfJob, showSents } from '../../sending/sent-store.ts';
import { unsafeTargets } from '../../targets/target-store.ts';

export const listJobSendings = siteOperation({
  id: 'listJobSendings',
  method: 'GET',
  path: '/campaigns/job-sendings',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List the sendings of a campaign job, with their segments',
  query: Query({
    idCampaign: Id('campaign'),
    idJob: Id('job'),
    includeContent: Type.Optional(
      Type.Boolean({ default: false, description: 'Return the contents (msgHtml, msgTxt) as well' }),
    ),
  }),
  reply: Type.Array(SentWithSegment),
  refusals: [404],
  handle: async ({ db, query }) => {
    const job = await getJobOf(db, query.idCampaign, query.idJob);
    const records = await sentsOfJob(db, job.idCampaign, job.id);
    const targets = records.map((record) => record.parameters.idTarget);
    const unsafe = new Set(await unsafeTargets(db, targets));
    const sents = await showSents(db, records, query.includeContent ?? false);
    const advertisements = await advertisementsOfJob(db, job.id);
    return records.map((record, index) => {
      const isSafe = !unsafe.has(record.parameters.idTarget);
      return showSentWithSegment(record, sents[index]!, isSafe, advertisements.get(record.idSent) ?? []);
    });
  },
});
