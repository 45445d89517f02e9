import type { Connection, Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Closed, Count, type Static, Timestamp, Type } from '../../platform/http/schema.ts';
import { type CountryName, countries } from './country.ts';
import { type Place, PostcodeTable } from './postcode-table.ts';

/** The source of the postcodes that every installation begins with. */
const starterSource = 'starter table';

/** What a country's postcodes were last made of. */
export const PostcodeLoad = Closed('PostcodeLoad', {
  country: Type.String({ title: 'String', description: 'ISO 3166-1' }),
  source: Type.String({ title: 'String', description: 'The file, or `starter table`' }),
  loadedAt: Timestamp(),
  codes: Count('Postcodes, of the United Kingdom outward codes'),
});
export type PostcodeLoad = Static<typeof PostcodeLoad>;

/** What the postcodes of each country were last made of, by country. */
export async function listPostcodeLoads(control: Connection): Promise<PostcodeLoad[]> {
  const rows = await control.rows<Omit<PostcodeLoad, 'loadedAt'> & { loadedAt: Date }>(sql`
    select country, source, loaded_at as "loadedAt", codes from facteur.postcode_load order by country`);
  return rows.map((row) => ({ ...row, loadedAt: row.loadedAt.toISOString() }));
}

/** Countries by the code that field 41 has for them or for one of their territories. */
export const countryByCode: ReadonlyMap<string, CountryName> = new Map(
  Object.values(countries).flatMap(({ name, codes }) => codes.map((code) => [code, name])),
);

const tables = new WeakMap<Connection, { readonly version: string; readonly table: PostcodeTable }>();

/**
 * The postcodes that are known now. They are kept in memory, since a circle over them takes a fraction of a
 * millisecond there, and no statement joins them to a site's tables; each time one row a country shows whether they
 * are still true.
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
