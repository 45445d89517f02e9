import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { targetsWithFile } from '../targets/filter-store.ts';
import { filenameOf, type Scheduling } from './import-schedule.ts';

const maxPlaces = 5;

/**
 * Imports and targets that still need a file of the default repository, in words, at most five: an import that runs,
 * or that is planned for one run; a target whose file filter has not ended. A recurring import that waits does not
 * count: its file may be replaced until then.
 */
export async function whoNeeds(db: SiteDb, path: string): Promise<string[]> {
  const imports = await db.rows<OpenImport>(sql`
    select id, filename, scheduling, scheduled_at as "scheduledAt" from ${db.t.import}
    where not is_deleted and (state = 'InProgress'
      or (state in ('Scheduled', 'Paused') and normalize(filename) = ${path}
        and not coalesce((scheduling ->> 'isRecurring')::boolean, false)))
    order by id`);
  const reading = imports.filter(
    ({ filename, scheduling, scheduledAt }) =>
      filenameOf(filename, scheduling, scheduledAt).normalize('NFC') === path,
  );
  const targets = await targetsWithFile(db, path, maxPlaces);
  const places = [...reading.map(({ id }) => `import ${id}`), ...targets.map((id) => `target ${id}`)];
  return places.slice(0, maxPlaces);
}

interface OpenImport {
  readonly id: number;
  readonly filename: string;
  readonly scheduling: Scheduling;
  readonly scheduledAt: Date;
}
