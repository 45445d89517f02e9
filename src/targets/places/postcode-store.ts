import type { Connection, Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Closed, Count, Instant, OneOf, type Static, Type } from '../../platform/http/schema.ts';
import { type CountryName, countries, countryNames } from './country.ts';
import { type Place, PostcodeTable } from './postcode-table.ts';

/** The source of the postcodes that a new installation has. */
const starterSource = 'starter table';

/** The source of a country's current postcodes. */
export const PostcodeLoad = Closed('PostcodeLoad', {
  country: Type.String({ title: 'String', description: 'ISO 3166-1' }),
  source: Type.String({ title: 'String', description: 'The file, or `starter table`' }),
  loadedAt: Instant(),
  codes: Count('Number of postcodes; for the United Kingdom, of outward codes'),
});
export type PostcodeLoad = Static<typeof PostcodeLoad>;

/** The current source of each country's postcodes. */
export async function listPostcodeLoads(control: Connection): Promise<PostcodeLoad[]> {
  return control.rows<PostcodeLoad>(sql`
    select country, source, loaded_at as "loadedAt", codes from facteur.postcode_load order by country`);
}

/** Countries by the codes of field 41. */
export const countryByCode: ReadonlyMap<string, CountryName> = new Map(
  Object.values(countries).flatMap(({ name, codes }) => codes.map((code) => [code, name])),
);

/** A town or another place with its postcodes. */
export const FoundPlace = Closed('FoundPlace', {
  country: OneOf(countryNames),
  name: Type.String(),
  postcodes: Type.Array(Type.String(), {
    description: 'Its postcodes, ascending, at most 100; of the United Kingdom, outward codes',
  }),
});
export type FoundPlace = Static<typeof FoundPlace>;

/** Maximum number of places that a search returns, and of postcodes that one has. */
const [mostPlaces, mostPostcodes] = [20, 100];

/**
 * Places with a part in their name, ignoring case and accents: those that begin with it first, then by the number of
 * postcodes. Reads all postcodes, 15,000 with the files of the three countries.
 */
export async function findPlaces(control: Connection, part: string): Promise<FoundPlace[]> {
  const rows = await control.rows<Omit<FoundPlace, 'country'> & { country: string }>(sql`
    select country, name, (array_agg(code order by code))[1:${mostPostcodes}] as postcodes
    from facteur.postcode
    where strpos(facteur.fold(name), facteur.fold(${part})) > 0
    group by country, name
    order by strpos(facteur.fold(name), facteur.fold(${part})) > 1, count(*) desc, name, country
    limit ${mostPlaces}`);
  return rows.flatMap(({ country, ...place }) => {
    const name = countryByCode.get(country);
    return name ? [{ country: name, ...place }] : [];
  });
}

const tables = new WeakMap<Connection, { readonly version: string; readonly table: PostcodeTable }>();

/**
 * The current postcodes. They are kept in memory, where a search within a radius takes a fraction of a millisecond, and
 * no statement joins them to a site's tables. Each call reads one row per country to see whether they have changed.
 */
export async function readPostcodes(control: Database): Promise<PostcodeTable> {
  const loads = await listPostcodeLoads(control);
  const version = JSON.stringify(loads);
  const kept = tables.get(control);
  if (kept?.version === version) return kept.table;
  const rows = await control.rows<Omit<Place, 'country'> & { country: string }>(sql`
    select country, code, latitude, longitude from facteur.postcode`);
  const places = rows.map((row): Place => ({ ...row, country: countryByCode.get(row.country)! }));
  const starterOnly = ['FR', 'GB', 'BE']
    .filter((code) => loads.find((load) => load.country === code)?.source === starterSource)
    .map((code) => countryByCode.get(code)!);
  const table = new PostcodeTable(places, starterOnly);
  tables.set(control, { version, table });
  return table;
}
