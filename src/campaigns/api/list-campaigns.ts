import { campaignTypes } from '../../contents/campaign-type.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import {
  Count,
  IdOf,
  Line,
  OneOf,
  Paged,
  Paging,
  Query,
  Timestamp,
  Type,
} from '../../platform/http/schema.ts';
import { CampaignReply, campaignModes } from '../campaign.ts';
import { type CampaignFilter, campaignSorts, listCampaigns as findPage, showAll } from '../campaign-store.ts';

export const listCampaigns = siteOperation({
  id: 'listCampaigns',
  method: 'GET',
  path: '/campaigns',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List campaigns by filter',
  description:
    'Every filter that is given must hold. Archived campaigns are left out, and so are the contents of all ' +
    '(`htmlContent`, `textContent`), unless they are requested. A page that starts after the last campaign is empty.',
  query: Query({
    'filter.creationStartDate': Type.Optional(Timestamp()),
    'filter.creationEndDate': Type.Optional(Timestamp()),
    'filter.isArchive': Type.Optional(
      Type.Boolean({ default: false, description: 'true: the archived ones, and no others' }),
    ),
    'filter.isABTest': Type.Optional(Type.Boolean()),
    'filter.isAutomation': Type.Optional(Type.Boolean()),
    'filter.location': Type.Optional(
      IdOf(
        'directory',
        Type.String({
          maxLength: 20,
          description: 'Empty: all; myCreatedLocation: those of the caller; or the id of a directory',
        }),
      ),
    ),
    'filter.idTarget': Type.Optional(
      IdOf('target', Count('Only campaigns that use it in a segment or for tests; 0 means all')),
    ),
    'filter.mode': Type.Optional(OneOf(campaignModes)),
    'filter.name': Type.Optional(Line(255)),
    'filter.type': Type.Optional(OneOf(campaignTypes)),
    'filter.withContents': Type.Optional(
      Type.Boolean({ default: false, description: 'true: with `htmlContent` and `textContent`' }),
    ),
    ...Paging(campaignSorts),
  }),
  reply: Paged(CampaignReply),
  refusals: [413],
  handle: async ({ db, query, caller }) => {
    const start = query['filter.start'] ?? 0;
    const { totalCount, items } = await findPage(db, {
      createdFrom: dateOf(query['filter.creationStartDate']),
      createdTo: dateOf(query['filter.creationEndDate']),
      isArchive: query['filter.isArchive'] ?? false,
      isAbTest: query['filter.isABTest'],
      isAutomation: query['filter.isAutomation'],
      idTarget: query['filter.idTarget'] || undefined,
      mode: query['filter.mode'],
      type: query['filter.type'],
      name: query['filter.name'],
      ...locationOf(query['filter.location'] ?? '', caller.idUser),
      sortBy: query['filter.sortBy'],
      isDescending: query['filter.order'] === 'DESC',
      withContents: query['filter.withContents'] ?? false,
      start,
      limit: query['filter.limit'] ?? 50,
    });
    return { totalCount, count: items.length, items: await showAll(db, items), start };
  },
});

/** Returns the filter of a location: the owner, or a directory. */
function locationOf(location: string, idUser: number): Pick<CampaignFilter, 'idAuthor' | 'idDirectory'> {
  if (location === '') return {};
  if (location === 'myCreatedLocation') return { idAuthor: idUser };
  const id = Number(location);
  if (/^\d+$/.test(location) && id >= 1 && id <= 2147483647) return { idDirectory: id };
  throw invalid('filter.location: must be empty, myCreatedLocation or the id of a directory');
}

const dateOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
