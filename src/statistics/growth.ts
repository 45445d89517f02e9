import { Temporal } from 'temporal-polyfill';
import { Closed, Count, OneOf, type Static, Timestamp, Type } from '../platform/http/schema.ts';
import { parisDayOf, startOfParisDay } from '../platform/paris-time.ts';
import { keptIn } from '../platform/remembered.ts';
import { type GrowthCause, type GrowthRow, growthCauses } from '../subscribers/growth.ts';

/** The number of days of a period: today, in Paris, and the days before. */
export const PeriodDays = Type.Integer({
  title: 'Int32',
  minimum: 1,
  maximum: 366,
  description: 'Days in Paris time, today included',
});

const causes = {
  import: 'Import',
  api: 'Api',
  page: 'Page',
  oneClick: 'OneClick',
  complaint: 'Complaint',
  bounce: 'Bounce',
  undo: 'Undo',
  deleted: 'Deleted',
  sample: 'SampleData',
  unknown: 'Unknown',
} as const satisfies Record<GrowthCause, string>;

/** Causes of leaving whose people can be told apart, by their names in the API. */
export const listedCauses = ['Page', 'OneClick', 'Complaint', 'Bounce'] as const;
export type ListedCause = (typeof listedCauses)[number];

/** The cause that a name of the API means. */
export const causeNamed = (name: ListedCause): GrowthCause =>
  growthCauses.find((cause) => causes[cause] === name)!;

const GrowthPart = Closed('GrowthPart', {
  cause: OneOf(
    Object.values(causes),
    'Page: on the page of a sending; OneClick: by RFC 8058; Bounce: a hard bounce; Undo: an unsubscription on the ' +
      'page that was undone; Unknown: from before causes were stored',
  ),
  nbJoined: Count('People who joined'),
  nbLeft: Count('People who left'),
  idImport: Count('The import; 0: none, or one of many on that day'),
  idCampaign: Count('The campaign whose sending it comes from; 0: none, or one of many on that day'),
  idSent: Count('That sending; 0: none, or one of many on that day'),
  name: Type.String({ description: 'Name of the imported file or of the campaign; empty without one' }),
});
type GrowthPart = Static<typeof GrowthPart>;

/** People who joined and left on one day. */
export const GrowthDay = Closed('GrowthDay', {
  date: Timestamp('The beginning of the day in Paris'),
  nbJoined: Count('People who came to be eligible for mail'),
  nbLeft: Count('People who ceased to be eligible'),
  causes: Type.Array(GrowthPart, { description: 'The largest first; they add up to the two figures' }),
});
export type GrowthDay = Static<typeof GrowthDay>;

/** The first Paris day of a period of so many days that ends today. */
export const firstDayOf = (now: Date, nbDays: number): string =>
  parisDayOf(now)
    .subtract({ days: nbDays - 1 })
    .toString();

/** The records that changes come from. */
export interface GrowthSources {
  /** Names of imported files by the id of their import. */
  readonly imports: ReadonlyMap<number, string>;
  /** Campaigns by the id of a sending. */
  readonly campaigns: ReadonlyMap<number, { readonly id: number; readonly name: string }>;
}

/** Whether the source of a cause is an import; otherwise it is a sending. */
export const isOfImport = ({ cause }: Pick<GrowthRow, 'cause'>): boolean => cause === 'import';

/** The days of some changes, in their order. */
export function growthDays(rows: readonly GrowthRow[], sources: GrowthSources): GrowthDay[] {
  const days = new Map<string, GrowthPart[]>();
  for (const row of rows) keptIn(days, row.day, () => []).push(partOf(row, sources));
  return [...days].map(([day, parts]) => ({
    date: startOfParisDay(Temporal.PlainDate.from(day)).toISOString(),
    nbJoined: parts.reduce((sum, { nbJoined }) => sum + nbJoined, 0),
    nbLeft: parts.reduce((sum, { nbLeft }) => sum + nbLeft, 0),
    causes: parts,
  }));
}

function partOf(row: GrowthRow, { imports, campaigns }: GrowthSources): GrowthPart {
  const { cause, idSource, nbJoined, nbLeft } = row;
  const campaign = isOfImport(row) ? undefined : campaigns.get(idSource);
  const file = isOfImport(row) ? imports.get(idSource) : undefined;
  return {
    ...{ cause: causes[cause], nbJoined, nbLeft },
    idImport: file === undefined ? 0 : idSource,
    idCampaign: campaign?.id ?? 0,
    idSent: campaign === undefined ? 0 : idSource,
    name: file ?? campaign?.name ?? '',
  };
}
