import {
  Bool,
  Closed,
  Id,
  Instant,
  Int32,
  Line,
  Maybe,
  Nullable,
  ReadOnly,
  Reference,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';

/** Limits of a site's advertisements: their number, and the bytes of their HTML, because a list returns all of them. */
export const maxAdvertisements = 5_000;
export const maxAdvertisementBytes = 32_000_000;

/** HTML that replaces the tag [[ENCART.n]] in a campaign's messages. */
export const Advertisement = Closed('Advertisement', {
  id: Int32(),
  name: Type.String(),
  creationDate: Instant(),
  updateDate: Instant(),
  html: Type.String(),
  isArchive: Bool(),
  idUser: Int32('The user who created it'),
  idAdvertiser: Nullable(Int32()),
  idAffiliation: Nullable(Int32()),
  idsThematic: Type.Array(Int32()),
});
export type Advertisement = Static<typeof Advertisement>;

const ignored = { creationDate: ReadOnly(), updateDate: ReadOnly(), idUser: ReadOnly() };

export const AdvertisementName = Type.String({ ...Line(255, 'For its users'), minLength: 1 });
export const AdvertisementHtml = Text(500_000, 'May contain tags, including those of other advertisements');

const members = {
  isArchive: Maybe(Bool('A mark for lists, without effect on campaigns')),
  idAdvertiser: Reference('advertiser', 'The advertiser'),
  idAffiliation: Reference('affiliation', 'The affiliation platform'),
  idsThematic: Maybe(
    Type.Array(Id('thematic'), {
      maxItems: 100,
      description: 'Its thematics: clicks on its links count for them',
    }),
  ),
};

export const NewAdvertisement = Closed('NewAdvertisement', {
  id: ReadOnly(),
  ...ignored,
  name: AdvertisementName,
  html: AdvertisementHtml,
  ...members,
});
export type NewAdvertisement = Static<typeof NewAdvertisement>;

/** Omitted properties keep their values; 0 or null removes advertiser and affiliation; other nulls change nothing. */
export const AdvertisementChange = Closed('AdvertisementChange', {
  id: Id('advertisement'),
  ...ignored,
  name: Maybe(AdvertisementName),
  html: Maybe(AdvertisementHtml),
  ...members,
});
export type AdvertisementChange = Static<typeof AdvertisementChange>;

export type AdvertisementValues = Omit<Advertisement, 'id' | 'creationDate' | 'updateDate' | 'idUser'>;

export function makeAdvertisement(given: NewAdvertisement): AdvertisementValues {
  const nothing = { isArchive: false, idAdvertiser: null, idAffiliation: null, idsThematic: [] };
  return changeAdvertisement({ name: given.name, html: given.html, ...nothing }, given);
}

export function changeAdvertisement(
  before: AdvertisementValues,
  change: NewAdvertisement | AdvertisementChange,
): AdvertisementValues {
  const { idAdvertiser = before.idAdvertiser, idAffiliation = before.idAffiliation } = change;
  return {
    name: change.name ?? before.name,
    html: change.html ?? before.html,
    isArchive: change.isArchive ?? before.isArchive,
    idAdvertiser,
    idAffiliation,
    idsThematic: [...new Set(change.idsThematic ?? before.idsThematic)],
  };
}
