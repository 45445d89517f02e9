import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { standardWatch } from '../sending/engine/progress-watch.ts';
import { until } from './until.ts';

/** Looks often, and is as patient as the service's: what a slow machine takes is no standstill. */
export const eagerWatch = { ...standardWatch, everyMs: 30 };

/** Moves the last progress of all jobs back, past the patience of the watch. */
export async function losePatience(control: Connection): Promise<void> {
  await control.run(sql`update facteur.sending_job set moved_at = clock_timestamp() - interval '1 hour'`);
}

/** Waits until the one watch has made a look at a job that began after this was requested. */
export async function watchedAnew(control: Connection, idJob: number): Promise<void> {
  const watchedAt = async () =>
    (
      await control.first<{ at: string }>(
        sql`select watched_at::text as at from facteur.sending_job where id_job = ${idJob}`,
      )
    )?.at;
  // The first look that ends may have begun before.
  for (let looks = 0; looks < 2; looks++) {
    const before = await watchedAt();
    await until(async () => (await watchedAt()) !== before, 'it is watched');
  }
}
