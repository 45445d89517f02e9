import { copyName } from '../../contents/copy-name.ts';
import { setDirectory } from '../../contents/object-directory-store.ts';
import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Closed, Id, Line, Maybe, Params } from '../../platform/http/schema.ts';
import { CampaignReply, type CampaignValues } from '../campaign.ts';
import { CampaignMjmlInput, checkMjml } from '../campaign-mjml.ts';
import { mjmlOf, storeMjml } from '../campaign-mjml-store.ts';
import { checkCampaign } from '../campaign-rules.ts';
import { getCampaign, insertCampaign, lockCampaign, showById } from '../campaign-store.ts';
import { copyPlacements } from '../placement-store.ts';
import { copySegments } from '../segment-store.ts';
import { copyLinks } from '../tracked-link-store.ts';

export const duplicateCampaign = siteOperation({
  id: 'duplicateCampaign',
  method: 'POST',
  path: '/campaigns/{idCampaign}/duplicate',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Duplicate a campaign',
  description:
    'Makes a draft with the contents, parameters, directory, segments and advertisements of the campaign, and with ' +
    'the tracking of its links, all or nothing, while no other call can change the campaign. The copy belongs to the ' +
    'caller. It is not archived or scheduled, and does not host pictures. MJML is copied if the campaign still has ' +
    'its HTML.',
  params: Params({ idCampaign: Id('campaign') }),
  body: Closed('CampaignCopy', {
    name: Maybe(Line(255, 'Default: “Copie de” and the name of the campaign')),
    blocks: Maybe(CampaignMjmlInput),
  }),
  bodyMegabytes: largeBodyMegabytes,
  example: { name: 'Second' },
  reply: CampaignReply,
  refusals: [409, 422],
  handle: ({ db, params, body, caller, now }) => {
    const { name, blocks } = body;
    if (blocks) checkMjml(blocks.mjml, 'blocks.mjml');
    return db.transaction(async (tx) => {
      const original = await lockCampaign(tx, params.idCampaign);
      const values: CampaignValues = {
        ...original,
        parameters: {
          ...original.parameters,
          name: name ?? copyName(original.parameters.name),
          isArchive: false,
        },
        htmlContent: blocks?.htmlContent ?? original.htmlContent,
        // The pictures of the HTML are hosted already.
        autoHostPictures: false,
        autoHostPicturesIdDirectory: null,
      };
      const author = { id: caller.idUser, name: caller.userName };
      const id = await insertCampaign(tx, checkCampaign(values), author, now);
      const { mjml, isCurrent } = blocks ? { ...blocks, isCurrent: true } : await mjmlOf(tx, original.id);
      if (isCurrent) await storeMjml(tx, id, mjml);
      await setDirectory(tx, 'campaign', id, values.idDirectory);
      await copySegments(tx, original.id, id);
      await copyPlacements(tx, original.id, id);
      await copyLinks(tx, original.id, await getCampaign(tx, id), now);
      return showById(tx, id);
    });
  },
});
