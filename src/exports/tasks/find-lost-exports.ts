import { lostTaskFinder } from '../../accounts/lost-tasks.ts';
import { sql } from '../../platform/db/sql.ts';
import { queuedTasks } from '../../platform/tasks.ts';
import { addRun, runExport } from './run-export.ts';

/** Runs exports whose task was lost, SCHEDULED or RUNNING: the next run writes the whole file. */
export const findLostExports = lostTaskFinder<{ idExport: number }>({
  name: 'findLostExports',
  find: (db) =>
    db.rows(sql`
      select id as "idExport" from ${db.t.export_job}
      where state in ('SCHEDULED', 'RUNNING') and not exists (
        select from ${queuedTasks(runExport)} task
        where (payload ->> 'idSite')::int = ${db.site.id} and (payload ->> 'idExport')::int = id)
      order by id`),
  add: (tx, { idExport }) => addRun(tx, idExport),
});
