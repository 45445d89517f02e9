import type { Field } from '../fields/field.ts';
import type { Language } from '../fields/period.ts';
import type { SiteTables } from '../platform/db/site-db.ts';
import { siteTableNames } from '../platform/db/site-tables.ts';
import { identifier } from '../platform/db/sql.ts';
import { Refusal } from '../platform/http/refusal.ts';
import type {
  FilterKind,
  FilterSite,
  Given,
  KnownCampaign,
  KnownSent,
  Members,
} from '../targets/filters/filter-kind.ts';
import { unneededParser } from '../targets/filters/sql-parser.ts';
import { PostcodeTable } from '../targets/places/postcode-table.ts';
import { customFields } from './custom-fields.ts';
import type { GoldenCases } from './golden.ts';

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

const sents: readonly KnownSent[] = [
  { idSent: 11, name: 'Rentrée – Tous', isTest: false },
  { idSent: 12, name: '<i>Soldes</i> & Cie – "VIP"', isTest: false },
  { idSent: 13, name: 'Rentrée – BAT', isTest: true },
  // Enough of them to reach the limits.
  ...Array.from({ length: 101 }, (_, i) => ({ idSent: 101 + i, name: `Envoi ${i + 1}`, isTest: false })),
];

const campaigns: readonly KnownCampaign[] = [
  { idCampaign: 21, name: 'Rentrée', lastSentAt: new Date('2026-11-01T09:00:00Z'), idsSent: [11, 14] },
  // The first instant of the day 60 days ago in Paris, and the one before it.
  { idCampaign: 22, name: '<Soldes>', lastSentAt: new Date('2026-09-20T22:00:00Z'), idsSent: [12] },
  { idCampaign: 23, name: 'Ancienne', lastSentAt: new Date('2026-09-20T21:59:59Z'), idsSent: [15] },
  { idCampaign: 24, name: 'Brouillon', lastSentAt: null, idsSent: [] },
];

/** A site, of no database, with records that filters name; it is 2026-11-20, 11:00 in Paris. */
export function siteWithRecords(of: Partial<FilterSite> = {}): FilterSite {
  return filterSite({
    sents: new Map(sents.map((one) => [one.idSent, one])),
    campaigns: new Map(campaigns.map((one) => [one.idCampaign, one])),
    thematics: new Map([
      [31, 'Sport'],
      [32, '<b>Vins</b> & spiritueux'],
    ]),
    ...of,
  });
}

/** Ids of `Envoi 1`, `Envoi 2` …, as lists of ids are given. */
export function sentList(count: number): string {
  return Array.from({ length: count }, (_, i) => 101 + i).join(';');
}

/** The status and the words of a refusal to read a definition, or the definition as it is kept. */
export function readOrRefuse<K extends string, M extends Members>(
  kind: FilterKind<K, M>,
  given: Given<M>,
  site: FilterSite,
): Given<M> | undefined | string {
  try {
    return kind.parse(given, site);
  } catch (error) {
    if (error instanceof Refusal) return `${error.status} ${error.message}`;
    throw error;
  }
}

/** Descriptions for a golden file, by the definitions as they are given. */
export function describeAll<K extends string, M extends Members>(
  kind: FilterKind<K, M>,
  given: readonly Given<M>[],
  site: FilterSite,
): GoldenCases {
  const cases = given.map((one) => {
    const definition = kind.parse(one, site);
    if (!definition) throw new Error(`No condition: ${JSON.stringify(one)}`);
    const describe = (language: Language) => kind.describe(definition, site, language);
    return [JSON.stringify(one), describe] as const;
  });
  return Object.fromEntries(cases);
}
