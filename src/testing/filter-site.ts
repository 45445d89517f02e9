import type { Field } from '../fields/field.ts';
import type { SiteTables } from '../platform/db/site-db.ts';
import { siteTableNames } from '../platform/db/site-tables.ts';
import { identifier } from '../platform/db/sql.ts';
import type { FilterSite } from '../targets/filters/filter-kind.ts';
import { unneededParser } from '../targets/filters/sql-parser.ts';
import { PostcodeTable } from '../targets/places/postcode-table.ts';
import { customFields } from './custom-fields.ts';

const status = { id: 7, name: 'Statut', fieldType: 'Integer', list: null } as Field;

/**
 * A site without a database, changed as given: pure tests read and describe filters against it. A test of the SQL
 * filter gives `sqlParser: await sqlParser()`.
 */
export function filterSite(of: Partial<FilterSite> = {}): FilterSite {
  return {
    now: new Date('2026-11-20T10:00:00Z'),
    // `fromEntries` forgets the names; the list is that of the type.
    t: Object.fromEntries(
      siteTableNames.map((name) => [name, identifier('site_test', name)]),
    ) as unknown as SiteTables,
    fields: new Map([status, ...customFields].map((field) => [field.id, field])),
    sents: new Map(),
    campaigns: new Map(),
    thematics: new Map(),
    files: new Map(),
    postcodes: new PostcodeTable([]),
    sqlParser: unneededParser,
    ...of,
  };
}
