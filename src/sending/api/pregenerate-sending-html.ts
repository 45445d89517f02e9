import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Text, Type } from '../../platform/http/schema.ts';
import { pregenerateForSending } from '../preview.ts';

export const pregenerateSendingHtml = siteOperation({
  id: 'pregenerateSendingHtml',
  method: 'POST',
  path: '/html-pregeneration/{idSent}',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Replace the HTML of a sending',
  description:
    'The body is HTML that replaces the campaign’s for the recipients of one sending. Header, footer, content ' +
    'blocks and advertisements are inserted, and the result is stored with the sending and used by it. The ' +
    'campaign must be paused, and no message of the sending may have been sent (409). Links are tracked if the ' +
    'campaign tracks their address.',
  params: Params({ idSent: Id('sent', 'The sending in one job, as `listJobSendings` returns it') }),
  body: Text(500_000),
  bodyMegabytes: 2,
  atOnce: 2,
  reply: Type.String({ title: 'String', description: 'The HTML as the sending uses it' }),
  refusals: [404, 409, 422],
  handle: ({ app, db, params, body, now }) => pregenerateForSending(app, db, params.idSent, body, now),
});
