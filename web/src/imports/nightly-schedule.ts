import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { ifMatch, storeOver, versionedOf } from '../api/versions.ts';
import type { DailyRule } from '../parts/daily-rule.ts';

type Import = components['schemas']['Import'];

/** When a nightly import runs, and the pattern of its files' names. */
export interface NightlySchedule {
  readonly pattern: string;
  readonly rule: DailyRule;
}

/** The schedule of an import that runs every few days; undefined for any other one. */
export function nightlyScheduleOf({ parameters, schedulingInfos }: Import): NightlySchedule | undefined {
  const infos = 'recurringInfos' in schedulingInfos ? schedulingInfos.recurringInfos : null;
  if (infos?.frequencyUnits !== 'Day' || !infos.time || !infos.startDate) return undefined;
  const { filenameTemplate, frequency, time, startDate, endDate = null } = infos;
  return {
    pattern: filenameTemplate || parameters.filename,
    rule: { startDate, endDate, time, frequency: frequency ?? 1 },
  };
}

/** A schedule as the service takes it. */
export const recurringInfosOf = ({ pattern, rule }: NightlySchedule) => ({
  filenameTemplate: pattern,
  frequencyUnits: 'Day' as const,
  ...rule,
});

const isSame = (one: NightlySchedule | undefined, other: NightlySchedule) =>
  one !== undefined && JSON.stringify(recurringInfosOf(one)) === JSON.stringify(recurringInfosOf(other));

/** Stores a schedule over `base`; returns the stored one instead if another person changed it in the meantime. */
export async function storeNightly(
  idsite: string,
  idImport: number,
  base: NightlySchedule,
  schedule: NightlySchedule,
): Promise<NightlySchedule | undefined> {
  const path = { idsite, idImport };
  const outcome = await storeOver<Import, unknown>({
    known: undefined,
    read: () => versionedOf(api.GET('/v1/{idsite}/imports/{idImport}', { params: { path } })),
    isSame: (now) => isSame(nightlyScheduleOf(now), base) || isSame(nightlyScheduleOf(now), schedule),
    write: ({ etag }) =>
      dataOf(
        api.PUT('/v1/{idsite}/imports/{idImport}/schedule', {
          params: { path, header: ifMatch(etag) },
          body: { isRecurring: true, recurringInfos: recurringInfosOf(schedule) },
        }),
      ),
  });
  return outcome && 'theirs' in outcome ? nightlyScheduleOf(outcome.theirs.value) : undefined;
}
