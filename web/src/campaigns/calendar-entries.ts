import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { parisInstant } from '../targets/paris-time.ts';
import { dayOf, daysLater } from './calendar-days.ts';
import { type Campaign, datesOf, isScheduled } from './campaign.ts';

/** A date of a schedule, or a job that was sent. */
export interface CalendarEntry {
  readonly key: string;
  readonly idCampaign: number;
  readonly name: string;
  readonly at: string;
  /** Paris day, `yyyy-MM-dd`. */
  readonly day: string;
  /** `Programmed`, or the state of the job. */
  readonly state: string;
  /** The campaign whose schedule has the date, if the date can be moved: it is of a calendar, not of a daily rule. */
  readonly movable?: Campaign;
}

const pageLines = 200;
/** Campaigns that wait for a date. */
const mostScheduled = 1_000;
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

async function readScheduled(idsite: string, from: string, to: string): Promise<CalendarEntry[]> {
  const { items } = await dataOf(
    api.GET('/v1/{idsite}/campaigns', {
      params: {
        path: { idsite },
        query: {
          'filter.states': ['Programmed'],
          'filter.sortBy': 'Id',
          'filter.order': 'DESC',
          'filter.limit': mostScheduled,
        },
      },
    }),
  );
  return items.filter(isScheduled).flatMap((campaign) =>
    datesOf(campaign)
      .map((at) => ({
        ...{ key: `${campaign.id} ${at}`, idCampaign: campaign.id, name: campaign.parameters.name },
        ...{ at: new Date(at).toISOString(), day: dayOf(at), state: 'Programmed' },
        ...(campaign.schedulingInfos.type === 'Calendar' && { movable: campaign }),
      }))
      .filter(({ day }) => day >= from && day <= to),
  );
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
