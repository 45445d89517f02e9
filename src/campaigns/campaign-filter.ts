import { campaignTypes } from '../contents/campaign-type.ts';
import { invalid } from '../platform/http/refusal.ts';
import { Count, IdOf, Line, OneOf, type Static, Timestamp, Type } from '../platform/http/schema.ts';
import { campaignModes } from './campaign.ts';

/** Filters of campaigns besides their state and their place in the archive. */
export const campaignFilters = {
  'filter.creationStartDate': Type.Optional(Timestamp()),
  'filter.creationEndDate': Type.Optional(Timestamp()),
  'filter.isABTest': Type.Optional(Type.Boolean()),
  'filter.isAutomation': Type.Optional(Type.Boolean()),
  'filter.location': Type.Optional(
    IdOf(
      'directory',
      Type.String({
        maxLength: 20,
        description:
          'Empty: all; myCreatedLocation: those of the caller; MyFavorites: their favourites; or the id of a directory',
      }),
    ),
  ),
  'filter.idTarget': Type.Optional(
    IdOf('target', Count('Only campaigns that use it in a segment or for tests; 0 means all')),
  ),
  'filter.mode': Type.Optional(OneOf(campaignModes)),
  'filter.name': Type.Optional(Line(255)),
  'filter.text': Type.Optional(
    Line(
      255,
      'A part of the name or the subject, ignoring case and accents, or the number (id) of the campaign',
    ),
  ),
  'filter.type': Type.Optional(OneOf(campaignTypes)),
};

const given = Type.Object(campaignFilters);

/** The filter of a request, by an operation that has `campaignFilters` among its query. @throws 400 */
export function filterOf(query: Static<typeof given>, idUser: number) {
  return {
    createdFrom: dateOf(query['filter.creationStartDate']),
    createdTo: dateOf(query['filter.creationEndDate']),
    isAbTest: query['filter.isABTest'],
    isAutomation: query['filter.isAutomation'],
    idTarget: query['filter.idTarget'] || undefined,
    mode: query['filter.mode'],
    type: query['filter.type'],
    name: query['filter.name'],
    text: query['filter.text']?.trim() || undefined,
    ...locationOf(query['filter.location'] ?? '', idUser),
  };
}

function locationOf(
  location: string,
  idUser: number,
): { readonly idAuthor?: number; readonly favouritesOf?: number; readonly idDirectory?: number } {
  if (location === '') return {};
  if (location === 'myCreatedLocation') return { idAuthor: idUser };
  if (location === 'MyFavorites') return { favouritesOf: idUser };
  const id = Number(location);
  if (/^\d+$/.test(location) && id >= 1 && id <= 2147483647) return { idDirectory: id };
  throw invalid('filter.location: must be empty, myCreatedLocation, MyFavorites or the id of a directory');
}

const dateOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
