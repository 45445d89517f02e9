import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { CampaignMjml, CampaignMjmlInput, checkMjml } from '../campaign-mjml.ts';
import { mjmlOf, storeMjml } from '../campaign-mjml-store.ts';
import { versionOfCampaign } from '../campaign-version.ts';
import { changeCampaign } from '../change-campaign.ts';

export const setCampaignMjml = siteOperation({
  id: 'setCampaignMjml',
  method: 'PUT',
  path: '/campaigns/{idCampaign}/mjml',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Set the MJML and HTML of a campaign',
  description:
    'Stores both together. The service does not convert MJML: send the HTML that was made from it, which is what ' +
    'recipients get. With autoHostPictures the pictures of the HTML are hosted, as by modifyCampaign. A campaign ' +
    'whose messages are leaving, or are paused, cannot be changed (409).',
  params: Params({ idCampaign: Id('campaign') }),
  body: CampaignMjmlInput,
  bodyMegabytes: largeBodyMegabytes,
  example: {
    mjml:
      '<mjml><mj-body><mj-section><mj-column><mj-text>Hello [[FLD.1]]</mj-text></mj-column></mj-section>' +
      '</mj-body></mjml>',
    htmlContent: '<html><body><p>Hello [[FLD.1]]</p></body></html>',
  },
  versionOf: (db, { params }, isLocked) => versionOfCampaign(db, params.idCampaign, isLocked),
  reply: CampaignMjml,
  refusals: [409, 422, 503],
  handle: (input) => {
    const { idCampaign } = input.params;
    const { mjml, htmlContent } = input.body;
    checkMjml(mjml);
    const change = { input: () => ({ parameters: {}, htmlContent }), isWhole: false };
    return changeCampaign(input, idCampaign, change, async (tx) => {
      await storeMjml(tx, idCampaign, mjml);
      return mjmlOf(tx, idCampaign);
    });
  },
});
