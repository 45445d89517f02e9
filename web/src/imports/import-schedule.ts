import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { ifMatch, storeOver, versionedOf } from '../api/versions.ts';
import { type DailyRule, placedDayOf, weekDays } from '../parts/daily-rule.ts';

type Import = components['schemas']['Import'];
type RecurringInfos = components['schemas']['ImportRecurringInfos'];

/** When a recurring import runs, and the pattern of its files' names. */
export interface ImportSchedule {
  readonly pattern: string;
  readonly rule: DailyRule;
}

/** The schedule of an import that runs every few hours, days, weeks or months; undefined for any other one. */
export function importScheduleOf({ parameters, schedulingInfos }: Import): ImportSchedule | undefined {
  const infos = 'recurringInfos' in schedulingInfos ? schedulingInfos.recurringInfos : null;
  if (!infos?.time || !infos.startDate) return undefined;
  const { filenameTemplate, frequencyUnits: unit, frequency, time, startDate, endDate = null } = infos;
  const days = infos.weekDays?.toLowerCase().split(/\s*;\s*/) ?? [];
  return {
    pattern: filenameTemplate || parameters.filename,
    rule: {
      ...{ startDate, endDate, time, frequency: frequency ?? 1, unit },
      weekDays: weekDays.filter((day) => days.includes(day.toLowerCase())),
      ...(unit === 'Month' && { monthDay: monthDayOf(infos) }),
    },
  };
}

/** The day of months, as a rule has it. */
function monthDayOf({ monthDay, monthDay2 }: RecurringInfos): string {
  const placed = placedDayOf(monthDay2 ?? '');
  return placed ? `${placed.place} ${placed.weekDay}` : String(monthDay ?? 1);
}

/** A schedule as the service takes it. */
export function recurringInfosOf({ pattern, rule }: ImportSchedule) {
  const { unit = 'Day', weekDays: days = [], monthDay = '1', startDate, endDate, time, frequency } = rule;
  return {
    ...{ filenameTemplate: pattern, frequencyUnits: unit, startDate, endDate, time, frequency },
    ...(unit === 'Week' && { weekDays: days.join(';') }),
    ...(unit === 'Month' &&
      (placedDayOf(monthDay) ? { monthDay2: monthDay } : { monthDay: Number(monthDay) })),
  };
}

const isSame = (one: ImportSchedule | undefined, other: ImportSchedule) =>
  one !== undefined && JSON.stringify(recurringInfosOf(one)) === JSON.stringify(recurringInfosOf(other));

/**
 * Stores a schedule over `base`; returns the stored one instead if another person changed it in the meantime,
 * `unknown` if it can no longer be shown here.
 */
export async function storeSchedule(
  idsite: string,
  idImport: number,
  base: ImportSchedule,
  schedule: ImportSchedule,
): Promise<ImportSchedule | 'unknown' | undefined> {
  const path = { idsite, idImport };
  const outcome = await storeOver<Import, unknown>({
    known: undefined,
    read: () => versionedOf(api.GET('/v1/{idsite}/imports/{idImport}', { params: { path } })),
    isSame: (now) => isSame(importScheduleOf(now), base) || isSame(importScheduleOf(now), schedule),
    write: ({ etag }) =>
      dataOf(
        api.PUT('/v1/{idsite}/imports/{idImport}/schedule', {
          params: { path, header: ifMatch(etag) },
          body: { isRecurring: true, recurringInfos: recurringInfosOf(schedule) },
        }),
      ),
  });
  return outcome && 'theirs' in outcome ? (importScheduleOf(outcome.theirs.value) ?? 'unknown') : undefined;
}
