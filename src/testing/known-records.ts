import type { FilterSite, KnownCampaign, KnownSent } from '../targets/filters/filter-kind.ts';
import { filterSite } from './filter-site.ts';

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
