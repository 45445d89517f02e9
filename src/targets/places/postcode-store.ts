import type { Connection, Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Closed, Count, Instant, type Static, Type } from '../../platform/http/schema.ts';
import { type CountryName, countries } from './country.ts';
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
