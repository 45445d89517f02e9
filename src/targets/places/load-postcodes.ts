import type pg from 'pg';
import { TableError, type TableRecord } from '../../files/table.ts';
import { copyIn } from '../../platform/db/copy-in.ts';
import { copyLine } from '../../platform/db/copy-line.ts';
import { type Database, inTransaction } from '../../platform/db/database.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed, Count, type Static, Type } from '../../platform/http/schema.ts';
import { countries, placeKeyOf, postcodeKey } from './country.ts';
import { countryByCode } from './postcode-store.ts';

/** Maximum number of bad lines in the reply; all are counted. */
const maxListed = 20;

const LoadedCountry = Closed('LoadedCountry', { country: Type.String({ title: 'String' }), codes: Count() });
const BadLine = Closed('BadLine', { line: Count(), reason: Type.String({ title: 'String' }) });

/** The result of loading a file of postcodes. */
export const LoadedPostcodes = Closed('LoadedPostcodes', {
  countries: Type.Array(LoadedCountry, { description: 'The countries whose postcodes were replaced' }),
  lines: Count('Lines of the file'),
  ignored: Count('Lines of countries other than France with its territories, Belgium and the United Kingdom'),
  bad: Count('Lines that could not be used'),
  badLines: Type.Array(BadLine, { description: `The first ${maxListed} bad lines` }),
});
export type LoadedPostcodes = Static<typeof LoadedPostcodes>;

/** The format of GeoNames files: https://download.geonames.org/export/zip/, unpacked. */
export const geoNamesFormat = {
  csv: { delimiter: '\t', qualifier: '', rowDelimiter: 'lines', codePage: 65_001, startLine: 1 },
  sheetName: '',
  leastColumns: 1,
} as const;

/**
 * Replaces the postcodes of the countries in a GeoNames file, all of them or none. Lines are copied into a staging
 * table, several places of one postcode become one at their centre, and the countries are replaced in the same
 * transaction. Readers see the previous postcodes until it commits.
 * @throws 400 if the file has no postcode of the three countries; then nothing has changed.
 */
export async function loadPostcodes(
  control: Database,
  file: { readonly name: string; readonly groups: AsyncIterable<TableRecord[]> },
  at: Date,
): Promise<LoadedPostcodes> {
  const tally = { lines: 0, ignored: 0, bad: 0, badLines: [] as LoadedPostcodes['badLines'] };
  return control.withClient((client) =>
    inTransaction(client, async () => {
      // Two concurrent loads of a country would each delete only what the other has already committed.
      await client.query(`lock table facteur.postcode_load in share row exclusive mode`);
      await client.query(`
        create temp table postcode_stage (country text, code text, name text, latitude float8, longitude float8)
        on commit drop`);
      await copyIn(client, 'pg_temp.postcode_stage', copyText(file.groups, tally)).catch((error) => {
        throw error instanceof TableError ? invalid(`filename: ${error.message}`) : error;
      });
      const loaded = await exchange(client, file.name, at);
      if (loaded.length === 0) throw invalid(`filename: ${noneIn(tally)}`);
      return { countries: loaded, ...tally };
    }),
  );
}

async function exchange(client: pg.PoolClient, source: string, at: Date) {
  await client.query(`
    delete from facteur.postcode where country in (select distinct country from pg_temp.postcode_stage)`);
  await client.query(`
    insert into facteur.postcode (country, code, name, latitude, longitude)
    select country, code, min(name), avg(latitude), avg(longitude) from pg_temp.postcode_stage group by country, code`);
  const { rows } = await client.query<{ country: string; codes: number }>(
    `insert into facteur.postcode_load (country, source, loaded_at, codes)
     select country, $1, $2, count(distinct code) from pg_temp.postcode_stage group by country order by country
     on conflict (country) do update
     set source = excluded.source, loaded_at = excluded.loaded_at, codes = excluded.codes
     returning country, codes`,
    [source, at],
  );
  return rows;
}

function noneIn({ lines, badLines: [first] }: Pick<LoadedPostcodes, 'lines' | 'badLines'>): string {
  const why = first ? `; line ${first.line}: ${first.reason}` : '';
  return `none of its ${lines} lines is a GeoNames line of France, Belgium or the United Kingdom${why}`;
}

type Tally = Pick<LoadedPostcodes, 'lines' | 'ignored' | 'bad'> & { badLines: LoadedPostcodes['badLines'] };

async function* copyText(groups: AsyncIterable<TableRecord[]>, tally: Tally): AsyncGenerator<string> {
  for await (const group of groups) {
    let text = '';
    for (const record of group) {
      tally.lines++;
      const row = readPostcode(record);
      if (Array.isArray(row)) text += copyLine(row);
      else if (row === 'ignored') tally.ignored++;
      else {
        tally.bad++;
        if (tally.badLines.length < maxListed) tally.badLines.push({ line: record.line, reason: row.reason });
      }
    }
    yield text;
  }
}

/** A line as a row of the staging table, or the reason why it cannot be used. */
function readPostcode({
  cells,
  fault,
}: TableRecord): (string | number)[] | 'ignored' | { readonly reason: string } {
  if (fault) return { reason: fault };
  const code = cells[0] ?? '';
  if (cells.length < 11) return { reason: `has ${cells.length} columns, not 12 separated by tabs` };
  const name = countryByCode.get(code);
  if (!name) return 'ignored';
  // GeoNames has `75008 CEDEX 08` for companies with much post: the number is that of the sorting office.
  const key = postcodeKey((cells[1] ?? '').split(/ CEDEX/i, 1)[0]!);
  const country = countries[name];
  if (!country.pattern.test(key))
    return { reason: `'${cells[1]?.slice(0, 20)}' is not a postcode of ${code}` };
  const [latitude, longitude] = [degreesIn(cells[9], 90), degreesIn(cells[10], 180)];
  if (latitude === undefined || longitude === undefined)
    return { reason: 'has no latitude and longitude in columns 10 and 11' };
  return [code, placeKeyOf(country, key), (cells[2] ?? '').slice(0, 200), latitude, longitude];
}

function degreesIn(text: string | undefined, most: number): number | undefined {
  const number = /^-?\d{1,3}(\.\d{1,20})?$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Math.abs(number) <= most ? number : undefined;
}
