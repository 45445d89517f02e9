import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { DailySchedule, Schedule } from './schedule.ts';

/** The schedule of a campaign; without dates for one that has none. */
export async function scheduleOf(db: SiteDb, idCampaign: number): Promise<Schedule> {
  return db.one<{ type: Schedule['type']; dates: Date[]; daily: DailySchedule | null }>(sql`
    select schedule_type as type, calendar_dates as dates, daily_schedule as daily
    from ${db.t.campaign} where id = ${idCampaign}`);
}

/** Gives a campaign a schedule, its row locked. `setScheduleState` clears its dates once it is no longer planned. */
export async function setSchedule(tx: SiteDb, idCampaign: number, schedule: Schedule): Promise<void> {
  const { type, dates, daily } = schedule;
  await tx.run(sql`
    update ${tx.t.campaign}
    set schedule_type = ${type}, calendar_dates = ${dates.map((date) => date.toISOString())}::timestamptz[],
      daily_schedule = ${daily && JSON.stringify(daily)}::jsonb
    where id = ${idCampaign}`);
}
