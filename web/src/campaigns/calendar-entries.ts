import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { parisInstant } from '../targets/paris-time.ts';
import { dayOf, daysLater, timeOf } from './calendar-days.ts';
import { type Campaign, stateOf, waitingDatesOf } from './campaign.ts';

/** A date of a schedule, or a job that was sent. */
export interface CalendarEntry {
  readonly key: string;
  readonly idCampaign: number;
  readonly name: string;
  readonly at: string;
  /** Paris day, `yyyy-MM-dd`. */
  readonly day: string;
  /** `Programmed` or `Paused` for a date of a schedule, or the state of the job. */
  readonly state: string;
  /** The campaign whose schedule has the date, if the date can be moved. */
  readonly movable?: Campaign;
  /** Why the date of a schedule cannot be moved: a daily rule sets it, or the campaign is being sent or is paused. */
  readonly fixed?: 'daily' | 'running';
}

/** The campaign, day and time of an entry; a move changes only the day. */
export const placeOf = ({ idCampaign, day, at }: CalendarEntry): string =>
  `${idCampaign} ${day} ${timeOf(at)}`;

const pageLines = 200;
const pageCampaigns = 1_000;
const renewMs = 15_000;

/** The dates of schedules and the jobs from one day to another, by day and time; undefined while they are read. */
export function useCalendarEntries(from: string, to: string) {
  const site = useSite();
  return useQuery({
    queryKey: ['campaigns', site.name, 'calendar', from, to],
    placeholderData: keepPreviousData,
    refetchInterval: renewMs,
    queryFn: async () => {
      const [scheduled, sent] = await Promise.all([
        readScheduled(site.name, from, to),
        readSent(site.name, from, to),
      ]);
      return [...scheduled, ...sent].sort((a, b) => a.at.localeCompare(b.at));
    },
  });
}

/** The dates of all schedules that are to come, by time; undefined while they are read. */
export function useScheduled() {
  const site = useSite();
  return useQuery({
    queryKey: ['campaigns', site.name, 'calendar', 'to come'],
    refetchInterval: renewMs,
    queryFn: async () => {
      const entries = await readScheduled(site.name, dayOf(new Date().toISOString()), '9999-12-31');
      return entries.sort((a, b) => a.at.localeCompare(b.at));
    },
  });
}

async function readScheduled(idsite: string, from: string, to: string): Promise<CalendarEntry[]> {
  const now = Date.now();
  // A campaign that is scheduled meanwhile moves others to the next page, where they are read again.
  const entries = new Map<string, CalendarEntry>();
  for (let start = 0; ; ) {
    const { items, totalCount } = await readPage(idsite, start);
    for (const campaign of items)
      for (const at of waitingDatesOf(campaign, now)) {
        const entry = entryOf(campaign, at);
        if (entry.day >= from && entry.day <= to) entries.set(entry.key, entry);
      }
    start += items.length;
    if (items.length === 0 || start >= totalCount) return [...entries.values()];
  }
}

/** A page of the campaigns whose schedules may have dates. */
const readPage = (idsite: string, start: number) =>
  dataOf(
    api.GET('/v1/{idsite}/campaigns', {
      params: {
        path: { idsite },
        query: {
          'filter.states': ['Programmed', 'InProgress', 'Paused'],
          'filter.sortBy': 'Id',
          'filter.order': 'DESC',
          'filter.start': start,
          'filter.limit': pageCampaigns,
        },
      },
    }),
  );

function entryOf(campaign: Campaign, at: string): CalendarEntry {
  const state = stateOf(campaign);
  const fixed =
    state !== 'Programmed' ? 'running' : campaign.schedulingInfos.type === 'Calendar' ? undefined : 'daily';
  return {
    ...{ key: `${campaign.id} ${at}`, idCampaign: campaign.id, name: campaign.parameters.name },
    ...{ at: new Date(at).toISOString(), day: dayOf(at) },
    // A date after the one that is being sent is scheduled.
    state: state === 'Paused' ? state : 'Programmed',
    ...(fixed ? { fixed } : { movable: campaign }),
  };
}

/** Real jobs that started within the days. */
async function readSent(idsite: string, from: string, to: string): Promise<CalendarEntry[]> {
  const start = parisInstant(`${from}T00:00`)!;
  const end = parisInstant(`${daysLater(to, 1)}T00:00`)!;
  if (Date.parse(start) > Date.now()) return [];
  const entries: CalendarEntry[] = [];
  for (let offset = 0; ; offset += pageLines) {
    const page = await dataOf(
      api.GET('/v1/{idsite}/statistics/jobs', {
        params: {
          path: { idsite },
          query: {
            'filters.startDate': start,
            'filters.endDate': end,
            'filters.hideTest': true,
            'filters.paginationLines': pageLines,
            'filters.paginationOffset': offset,
          },
        },
      }),
    );
    // One that has not started is undone, or shown at the date of its schedule.
    for (const { idJob, idCampaign, campaignName: name, startDate: at, jobStateName: state } of page)
      if (at !== null && dayOf(at) <= to)
        entries.push({ key: `job ${idJob}`, idCampaign, name, at, day: dayOf(at), state });
    if (page.length < pageLines) return entries;
  }
}
