import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { AbTest, showAbTest } from '../../sending/ab-test.ts';
import { abTestsOf } from '../../sending/ab-test-store.ts';

export const listAbTests = siteOperation({
  id: 'listAbTests',
  method: 'GET',
  path: '/campaigns/{idCampaign}/ab-tests',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List the A/B tests of a campaign',
  description:
    'One for each job that tests variants, oldest first: the variants, and the winner once it is chosen. ' +
    '`readers` and `delivered` are those of the choice; other operations have the current figures of each sending.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Type.Array(AbTest),
  async handle({ db, params }) {
    const { id } = await getCampaign(db, params.idCampaign);
    return (await abTestsOf(db, id)).map(showAbTest);
  },
});
