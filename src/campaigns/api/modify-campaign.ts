import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Bool, Query, Type } from '../../platform/http/schema.ts';
import { CampaignInput, CampaignReply } from '../campaign.ts';
import { getCampaign, showById } from '../campaign-store.ts';
import { versionOfCampaign } from '../campaign-version.ts';
import { changeCampaign } from '../change-campaign.ts';
import { storeLinks } from '../tracked-link-store.ts';

export const modifyCampaign = siteOperation({
  id: 'modifyCampaign',
  method: 'PUT',
  path: '/campaigns',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Modify a campaign',
  description:
    'The body names the campaign by its `id`. A campaign whose messages are leaving, or are paused, cannot be ' +
    'changed (409). With autoHostPictures a call that gives htmlContent, or autoHostPictures itself, hosts the ' +
    'pictures of the HTML and responds within about 20 seconds. If another caller changed the HTML in the ' +
    'meantime, it returns 409 and changes nothing.',
  query: Query({
    updateMode: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'false: omitted and null properties keep their values, and 0 removes the record that a property names ' +
          '(idDirectory, parameters.idTestTarget, …). true: omitted and null properties get their defaults',
      }),
    ),
    returnInformations: Type.Optional(
      Type.Boolean({ default: false, description: 'Return the whole campaign instead of true' }),
    ),
    trackAllLinks: Type.Optional(
      Type.Boolean({ default: false, description: 'Track every link of its contents' }),
    ),
  }),
  body: CampaignInput,
  bodyMegabytes: largeBodyMegabytes,
  example: { id: 1, parameters: { name: 'First', subject: 'Hello again', idConfiguration: 1 } },
  versionOf: (db, { body }, isLocked) => versionOfCampaign(db, body.id ?? 0, isLocked),
  reply: Type.Union([Bool(), CampaignReply]),
  refusals: [404, 409, 422, 503],
  handle: async (input) => {
    const { body, query, now } = input;
    const { id } = body;
    if (!id) throw invalid('id: is required: the campaign to modify');
    return changeCampaign(
      input,
      id,
      { input: () => body, isWhole: query.updateMode === true },
      async (tx) => {
        if (query.trackAllLinks) await storeLinks(tx, await getCampaign(tx, id), now, { all: true });
        return query.returnInformations ? showById(tx, id) : true;
      },
    );
  },
});
