import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Bool, Count, Id, IdOf, Query, Type } from '../../platform/http/schema.ts';
import { clickMap, reportedOf, reportFigures } from '../report-figures.ts';
import { checkReportRoom, keepReport } from '../report-store.ts';

const daysKept = 30;

export const generateCampaignReport = siteOperation({
  id: 'generateCampaignReport',
  method: 'POST',
  path: '/statistics/report',
  right: 'read',
  tag: 'Statistics',
  summary: 'Generate a campaign report',
  description:
    'The reply is a GUID: the page `/reports/<guid>` at the public address shows the figures of this moment to ' +
    `whoever has it, for ${daysKept} days, in French or English. It prints to A4.`,
  query: Query({
    idJob: Id('job'),
    idSent: IdOf('sent', Count('A sending of the job; 0: all its sendings')),
    mpp: Bool('Whether the page initially counts opens that mail privacy protection made'),
  }),
  reply: Type.String({ title: 'String', format: 'uuid', description: 'The GUID of the report' }),
  refusals: [404, 422],
  async handle({ app, db, query: { idJob, idSent, mpp }, now }) {
    const of = found(await reportedOf(db, idJob, idSent), 'Sending');
    await checkReportRoom(app.control, db.site.id, now);
    const expiresAt = new Date(now.getTime() + daysKept * 86_400_000);
    const figures = await reportFigures(app, db, of, { mpp, madeAt: now, expiresAt });
    const message = await clickMap(db, of.idsSent, figures.links);
    return keepReport(app.control, db.site.id, { figures, message });
  },
});
