import { siteOperation } from '../../platform/http/operation.ts';
import { Count, Id, IdOf, Query, Type } from '../../platform/http/schema.ts';
import { pregeneratedHtml } from '../preview.ts';

export const pregenerateHtml = siteOperation({
  id: 'pregenerateHtml',
  method: 'POST',
  path: '/html-pregeneration',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Pre-generate the HTML of a sending',
  description:
    'Returns the HTML of the messages of a sending before the tags of its readers are filled: header, footer, ' +
    'content blocks and advertisements are in place. Tracked links have their own address; each reader’s is made ' +
    'with the message. With 0 for `idSent` and `idJob`, the HTML of the campaign’s first segment in its current ' +
    'state.',
  query: Query({
    idCampaign: Id('campaign'),
    idSent: IdOf('sent', Count('The sending in one job, as `listJobSendings` returns it; 0 means none')),
    idJob: IdOf('job', Count('The job of the sending; 0 means any')),
  }),
  atOnce: 4,
  reply: Type.String({ title: 'String', description: 'The HTML' }),
  refusals: [404, 409, 422],
  handle: ({ app, db, query, now }) => pregeneratedHtml(app, db, query, now),
});
