import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Count, Id, OneOf, Params, Query, Type } from '../../platform/http/schema.ts';
import {
  listedStates,
  showUnreached,
  statesNamed,
  UnreachedRecipient,
  unreachedStates,
} from '../../sending/sent.ts';
import { jobOfSent, recipientsInStates } from '../../sending/sent-store.ts';
import { PageOfPeople } from '../../subscribers/person.ts';
import { pageWithText, textSearch } from '../../subscribers/search-store.ts';

export const listUnreachedRecipients = siteOperation({
  id: 'listUnreachedRecipients',
  method: 'GET',
  path: '/campaigns/job-sendings/{idSent}/unreached',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List the unreached recipients of a sending',
  description:
    'Refused, expired and uncertain recipients of a sending, each with the reason, by subscriber id; on request also ' +
    'those that are deferred and will be retried. The list ' +
    'is exact while the job is still running; recipients become uncertain when their range is finished. To read the ' +
    'next page, repeat the request with `after` set to the last `idSubscriber`; a page with fewer than `limit` ' +
    'recipients is the last one.',
  params: Params({ idSent: Id('sent', 'The sending in one job, as `listJobSendings` returns it') }),
  query: Query({
    states: Type.Optional(
      Type.Array(OneOf(listedStates), {
        minItems: 1,
        description: 'States to list. Default: the final ones, refused, expired and uncertain',
      }),
    ),
    search: PageOfPeople.search,
    after: Type.Optional(Count('The last subscriber id of the page before. Default: 0, the first page')),
    limit: Type.Optional(
      Type.Integer({
        title: 'Int32',
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'Recipients per page. Default: 100',
      }),
    ),
  }),
  reply: Type.Array(UnreachedRecipient),
  refusals: [404],
  async handle({ db, params: { idSent }, query, signal }) {
    const { states = unreachedStates, search, after = 0, limit = 100 } = query;
    if (!(await jobOfSent(db, idSent))) throw notFound('Sent');
    const results = await pageWithText(
      textSearch(db, search, signal),
      { after, most: limit },
      ({ most, ...page }) =>
        recipientsInStates(db, idSent, { states: statesNamed(states), limit: most, ...page }),
    );
    return results.map(showUnreached);
  },
});
