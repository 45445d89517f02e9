import { Temporal } from 'temporal-polyfill';
import type { CampaignType } from '../contents/campaign-type.ts';
import { invalid } from '../platform/http/refusal.ts';
import { parisZone } from '../platform/paris-time.ts';

const campaignTypes = {
  INCONNU: 'Unknown',
  NEWSLETTER: 'Newsletter',
  DEDIE: 'Dedicated',
  AUTRE: 'Other',
  JEU: 'ExternalGame',
  JEU_INTERNE: 'InternalGame',
  DOSSIER: 'Topic',
  LOCATION: 'Rent',
  TRANSACTIONNEL: 'Transac',
} as const satisfies Readonly<Record<string, CampaignType>>;
type FrenchCampaignType = keyof typeof campaignTypes;

/** The campaign types as this list names them. */
// Object.keys loses the keys' type; `campaignTypes` is a literal of this file.
export const frenchCampaignTypes = Object.keys(campaignTypes) as [
  FrenchCampaignType,
  ...FrenchCampaignType[],
];

/** The campaign's type of a French name. */
export function campaignTypeOf(name: FrenchCampaignType): CampaignType {
  return campaignTypes[name];
}

const daysByDefault = 30;
const monthsAtMost = 6;
/** Dates are returned in UTC, and users think of Paris days. */
const zones = [parisZone, 'UTC'];
const dayMs = 86_400_000;

/**
 * The requested period; default: the 30 days until now, or until the given end. Months are those of Paris or of UTC,
 * whichever end later, so that six months are valid by either calendar.
 * @throws 400 if it ends before it starts, or is longer than 6 months
 */
export function spanOf(
  start: string | undefined,
  end: string | undefined,
  now: Date,
): { from: Date; to: Date } {
  const to = end === undefined ? now : new Date(end);
  const from = start === undefined ? new Date(to.getTime() - daysByDefault * dayMs) : new Date(start);
  if (from > to) throw invalid('filters.endDate: must not be before filters.startDate');
  if (zones.every((zone) => to.getTime() > monthsLater(from, zone)))
    throw invalid(`filters.endDate: must be at most ${monthsAtMost} months after filters.startDate`);
  return { from, to };
}

/** The latest end, in milliseconds, of a period that begins at `from`, by a zone's calendar. */
function monthsLater(from: Date, zone: string): number {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(zone);
  return start.add({ months: monthsAtMost }).epochMilliseconds;
}

/** Directory ids separated by `;`; undefined if there are none. @throws 400 naming an invalid id. */
export function readTagList(text: string | undefined): number[] | undefined {
  const words = (text ?? '')
    .split(';')
    .map((word) => word.trim())
    .filter(Boolean);
  const wrong = words.find((word) => !/^[1-9]\d{0,9}$/.test(word) || Number(word) > 2_147_483_647);
  if (wrong !== undefined) throw invalid(`filters.tagList: '${wrong.slice(0, 30)}' is not a directory id`);
  return words.length > 0 ? words.map(Number) : undefined;
}
