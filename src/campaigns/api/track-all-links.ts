import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Type } from '../../platform/http/schema.ts';
import { lockCampaign } from '../campaign-store.ts';
import { TrackedUrl } from '../tracked-link.ts';
import { storeLinks } from '../tracked-link-store.ts';

export const trackAllLinks = siteOperation({
  id: 'trackAllLinks',
  method: 'POST',
  path: '/campaigns/tracked-links',
  right: 'write',
  tag: 'Tracked links',
  summary: 'Track all URLs of a campaign',
  description: 'The body is the id of the campaign. Links whose tracking was removed are tracked again.',
  body: Id('campaign', 'The campaign'),
  reply: Type.Array(TrackedUrl),
  refusals: [404, 409, 422],
  handle: ({ db, body, now }) =>
    db.transaction(async (tx) => storeLinks(tx, await lockCampaign(tx, body), now, { all: true })),
});
