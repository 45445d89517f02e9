import { siteOperation } from '../../platform/http/operation.ts';
import {
  Bool,
  Closed,
  Count,
  IdOf,
  Line,
  Paged,
  Paging,
  pageOf,
  pageRange,
  Query,
  Type,
} from '../../platform/http/schema.ts';
import { readLocation } from '../directory.ts';
import { SendingConfigurationReply } from '../sending-configuration.ts';
import { configurationLocations, listConfigurations } from '../sending-configuration-store.ts';

const ListedSendingConfiguration = Closed('ListedSendingConfiguration', {
  config: SendingConfigurationReply,
  author: Type.String(),
  isFavourite: Bool(),
  directories: Type.String({ description: 'The names of its directories (tags), by name, joined by `, `' }),
});

export const listSendingConfigurations = siteOperation({
  id: 'listSendingConfigurations',
  method: 'GET',
  path: '/sending-configurations',
  right: 'read',
  tag: 'Sending configurations',
  summary: 'List sending configurations',
  description:
    'Archived ones are listed by the location Archives only, and by filter.idConfig without a location.',
  query: Query({
    'filter.location': Type.Optional(
      IdOf('directory', Line(20, `${configurationLocations.join(', ')}, or the id of a directory (tag)`)),
    ),
    'filter.name': Type.Optional(Line(255)),
    'filter.idConfig': Type.Optional(IdOf('configuration', Count('Only this configuration; 0 means any'))),
    'filter.deleteEmailsAfter': Type.Optional(
      Count('Only configurations that keep messages for this number of days; 0 means any'),
    ),
    ...Paging(['Name', 'Id', 'LastUpdate', 'Author']),
  }),
  reply: Paged(ListedSendingConfiguration),
  refusals: [413],
  async handle({ db, query, caller }) {
    const range = pageRange(query);
    const { totalCount, items } = await listConfigurations(db, {
      ...range,
      idUser: caller.idUser,
      location: readLocation(configurationLocations, query['filter.location']),
      name: query['filter.name'],
      id: query['filter.idConfig'],
      deleteEmailsAfter: query['filter.deleteEmailsAfter'],
    });
    const shown = items.map(({ author, isFavourite, directories, ...config }) => ({
      config,
      author,
      isFavourite,
      directories,
    }));
    return pageOf(shown, totalCount, range.start);
  },
});
