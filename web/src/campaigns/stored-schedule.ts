import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { type DailyRule, typedOf } from '../parts/daily-rule.ts';
import { useSite } from '../session/session.tsx';
import { type Campaign, datesOf, isScheduled } from './campaign.ts';

/** When a campaign is sent: instants, or a daily rule with its next date. */
export interface Schedule {
  readonly dates: readonly string[];
  readonly rule?: DailyRule | undefined;
}

/** Reads the schedule of a campaign. */
const scheduleQuery = (idsite: string, idCampaign: number) => ({
  queryKey: ['campaigns', idsite, 'schedule', idCampaign],
  queryFn: async (): Promise<Schedule> => {
    const params = { path: { idsite, idCampaign } };
    const { dates, daily } = await dataOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/schedule', { params }),
    );
    if (!daily) return { dates };
    const { startDate, endDate = null, sendingTime: time, frequency } = daily;
    return { dates, rule: { startDate, endDate, time, frequency: frequency ?? 1 } };
  },
});

/** Whether two schedules are the same. */
export const isSameSchedule = (one: Schedule, other: Schedule): boolean =>
  one.rule && other.rule
    ? JSON.stringify(one.rule) === JSON.stringify(other.rule)
    : !one.rule === !other.rule && one.dates.join() === other.dates.join();

/** The schedule that a campaign waits for, and whether it is read: the rule of a daily one is read on its own. */
interface StoredSchedule {
  readonly stored: Schedule;
  readonly isRead: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** The schedule that a campaign waits for. */
export function useStoredSchedule(campaign: Campaign): StoredSchedule {
  const site = useSite();
  const isDaily = isScheduled(campaign) && campaign.schedulingInfos.type === 'Daily';
  const read = useQuery({ ...scheduleQuery(site.name, campaign.id), enabled: isDaily });
  const { data, error } = read;
  const dates = isScheduled(campaign) ? datesOf(campaign) : [];
  return {
    stored: (isDaily && data) || { dates },
    isRead: !isDaily || data !== undefined,
    error: isDaily ? error : null,
    retry: () => void read.refetch(),
  };
}

/** Reads the schedule of a campaign as it is now. */
export function useReadSchedule(campaign: Campaign): () => Promise<Schedule> {
  const site = useSite();
  const queries = useQueryClient();
  return () => queries.fetchQuery({ ...scheduleQuery(site.name, campaign.id), staleTime: 0 });
}

/** Replaces the schedule of a campaign; one without dates and rule removes it. */
export function useSetSchedule(campaign: Campaign): (schedule: Schedule) => Promise<void> {
  const site = useSite();
  const queries = useQueryClient();
  const params = { path: { idsite: site.name, idCampaign: campaign.id } };
  return async ({ dates, rule }) => {
    if (rule) {
      const { time: sendingTime, ...others } = rule;
      const body = { ...others, sendingTime };
      await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/schedule/daily', { params, body }));
    } else {
      const body = [...dates];
      await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/schedule/calendar', { params, body }));
    }
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
  };
}

/** The fields of a rule as they are typed; of none, every day from a day on. */
export const firstRule = (rule: DailyRule | undefined, from: string, time: string) =>
  rule ? typedOf(rule) : { from, until: '', time, days: '1' };
