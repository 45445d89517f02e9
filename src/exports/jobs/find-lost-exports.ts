import { lostTaskFinder } from '../../accounts/lost-tasks.ts';
import { sql } from '../../platform/db/sql.ts';
import { jobsOf } from '../../platform/jobs.ts';
import { addRun, runExport } from './run-export.ts';

/** Has exports run whose task was lost, SCHEDULED and RUNNING ones: the file is written whole by the next run. */
export const findLostExports = lostTaskFinder<{ idExport: number }>({
  name: 'findLostExports',
  find: (db) =>
    db.rows(sql`
      select id as "idExport" from ${db.t.export_job}
      where state in ('SCHEDULED', 'RUNNING') and not exists (
        select from ${jobsOf(runExport)} task
        where (payload ->> 'idSite')::int = ${db.site.id} and (payload ->> 'idExport')::int = id)
      order by id`),
  add: (tx, { idExport }) => addRun(tx, idExport),
});
