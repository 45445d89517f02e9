import { decodeHTMLAttribute } from 'entities';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid, notFound } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { lockCampaign } from '../campaign-store.ts';
import { changeParameters, type LinkInContent, TrackedUrl, TrackedUrlInput } from '../tracked-link.ts';
import { checkLinkReferences, currentLinks, insertMissing, trackStored } from '../tracked-link-store.ts';

export const trackLink = siteOperation({
  id: 'trackLink',
  method: 'POST',
  path: '/campaigns/{idCampaign}/tracked-links',
  right: 'write',
  tag: 'Tracked links',
  summary: 'Track one URL',
  description:
    '`url` is the URL as the lists return it or as the HTML has it. It must be in the contents of the campaign or ' +
    'in an advertisement of a segment; `idAdvertisementInSegment` selects the advertisement if there are several. ' +
    'Send only the `parameters` that change.',
  params: Params({ idCampaign: Id('campaign') }),
  body: TrackedUrlInput,
  example: { url: 'https://shop.example/', parameters: { description: 'The shop' } },
  reply: TrackedUrl,
  refusals: [409, 422],
  handle: ({ db, params, body, now }) =>
    db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, params.idCampaign);
      const link = findLink(
        await currentLinks(tx, campaign),
        body.url,
        body.idAdvertisementInSegment ?? undefined,
      );
      const change = body.parameters ?? {};
      await checkLinkReferences(tx, change);
      await insertMissing(tx, campaign.id, [link], now);
      return trackStored(tx, campaign.id, link, (before) => changeParameters(before, change));
    }),
});

function findLink(
  links: readonly LinkInContent[],
  url: string,
  idPlacement: number | undefined,
): LinkInContent {
  const there =
    idPlacement === undefined ? links : links.filter(({ placement }) => placement?.id === idPlacement);
  if (there.length === 0 && idPlacement !== undefined)
    throw notFound('Advertisement in segment', 'idAdvertisementInSegment');
  const decoded = decodeHTMLAttribute(url);
  // What was read of the contents' own link names no place: it comes before those of advertisements.
  const inOrder = [...there].sort(
    (a, b) => Number(a.placement !== undefined) - Number(b.placement !== undefined),
  );
  const link = inOrder.find((one) => one.url === url) ?? inOrder.find((one) => one.url === decoded);
  if (!link) throw invalid('url: not found in the contents of the campaign');
  if (!link.isTrackable) throw invalid('url: only http and https addresses can be tracked');
  return link;
}
