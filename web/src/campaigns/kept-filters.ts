import { keep, readKept } from '../parts/kept.ts';
import { type ListSearch, readListSearch } from './list-search.ts';

const keyOf = (idUser: number, site: string) => `facteur.campaigns.${idUser}.${site}`;

/** The filters and the order of a site's list of campaigns as the user last chose them in this browser. */
export const keptFilters = (idUser: number, site: string): ListSearch =>
  readListSearch(readKept<Record<string, unknown>>(localStorage, keyOf(idUser, site)) ?? {});

/** Keeps the filters and the order of the list; what is searched for and the page belong to the moment. */
export function keepFilters(idUser: number, site: string, chosen: ListSearch): void {
  const { search, page, ...filters } = readListSearch({ ...chosen });
  keep(localStorage, keyOf(idUser, site), Object.keys(filters).length > 0 ? filters : undefined);
}
