import { decodeHTMLAttribute } from 'entities';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Id, Type } from '../../platform/http/schema.ts';
import { lockCampaign } from '../campaign-store.ts';
import { changeParameters, type LinkInContent, TrackedUrl, TrackedUrlInput } from '../tracked-link.ts';
import { checkLinkReferences, currentLinks, insertMissing, trackByUrl } from '../tracked-link-store.ts';

export const trackLink = siteOperation({
  id: 'trackLink',
  method: 'POST',
  path: '/campaigns/{idCampaign}/tracked-links',
  right: 'write',
  tag: 'Tracked links',
  summary: 'Track one URL',
  description:
    'The address is named by `url`, as the lists give it or as it is written in the HTML; it must stand in the ' +
    'contents of the campaign. Of `parameters` only what changes needs to be given.',
  params: Type.Object({ idCampaign: Id() }),
  body: TrackedUrlInput,
  example: { url: 'https://shop.example/', parameters: { description: 'The shop' } },
  reply: TrackedUrl,
  refusals: [422],
  handle: ({ db, params, body, now }) =>
    db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, params.idCampaign);
      const link = findLink(await currentLinks(tx, campaign), body.url);
      const change = body.parameters ?? {};
      await checkLinkReferences(tx, change);
      await insertMissing(tx, campaign.id, [link], now);
      return trackByUrl(tx, campaign.id, link.url, (before) => changeParameters(before, change));
    }),
});

function findLink(links: readonly LinkInContent[], url: string): LinkInContent {
  const decoded = decodeHTMLAttribute(url);
  const link = links.find((one) => one.url === url) ?? links.find((one) => one.url === decoded);
  if (!link) throw invalid('url: does not stand in the contents of the campaign');
  if (!link.isTrackable) throw invalid('url: only http and https addresses can be tracked');
  return link;
}
