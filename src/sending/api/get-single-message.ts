import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { IdOf, Params, Type } from '../../platform/http/schema.ts';
import { SingleMessage, showOutcome } from '../single-message.ts';
import { findSend } from '../single-message-store.ts';

export const getSingleMessage = siteOperation({
  id: 'getSingleMessage',
  method: 'GET',
  path: '/single-messages/{idSingleMessage}',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get the outcome of a single message',
  description: 'The outcome of a message of `sendCampaignToSubscriber`, by the id that it returned.',
  params: Params({
    idSingleMessage: IdOf(
      'singleMessage',
      Type.String({
        format: 'uuid',
        description: 'The id that sendCampaignToSubscriber returned',
      }),
    ),
  }),
  reply: SingleMessage,
  async handle({ db, params }) {
    const outcome = found(await findSend(db, params.idSingleMessage), 'Single message');
    return showOutcome(outcome);
  },
});
