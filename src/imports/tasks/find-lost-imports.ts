import { lostTaskFinder } from '../../accounts/lost-tasks.ts';
import { sql } from '../../platform/db/sql.ts';
import { queuedTasks } from '../../platform/tasks.ts';
import { addDelivery, deliverErrors, finishImport } from './finish-import.ts';
import { planRun, runImport } from './run-import.ts';

/**
 * Runs imports whose task was lost, Scheduled or InProgress: an interrupted run has changed nothing, and restarts. It
 * runs however late it is, because rows are worth as much tomorrow; of the past dates of a recurring import only the
 * last one is run.
 */
export const findLostImports = lostTaskFinder<{ idImport: number; run: number; scheduledAt: Date }>({
  name: 'findLostImports',
  // A job of before runs had numbers is of the first.
  find: (db) =>
    db.rows(sql`
      select i.id as "idImport", i.run, i.scheduled_at as "scheduledAt" from ${db.t.import} i
      where i.state in ('Scheduled', 'InProgress') and not i.is_deleted and not exists (
        select from ${queuedTasks(runImport)} task
        where (payload ->> 'idSite')::int = ${db.site.id} and (payload ->> 'idImport')::int = i.id
          and coalesce((payload ->> 'run')::int, 1) = i.run)
      order by i.id`),
  add: (tx, { idImport, run, scheduledAt }) => planRun(tx, idImport, run, scheduledAt),
});

/** Delivers error files whose tasks were lost, or gives them up with the reason; the file still exists. */
export const findLostErrorFiles = lostTaskFinder<{ idImport: number; idLog: number; endedAt: Date }>({
  name: 'findLostErrorFiles',
  // A job of before logs had a number of their own is of the last one, which this may be.
  find: (db) =>
    db.rows(sql`
      select l.id_import as "idImport", l.id as "idLog", l.ended_at as "endedAt" from ${db.t.import_log} l
      where l.errors_file is not null and not exists (
        select from (
          select * from ${queuedTasks(finishImport)} f union all select * from ${queuedTasks(deliverErrors)} d) task
        where (payload ->> 'idSite')::int = ${db.site.id} and (payload ->> 'idImport')::int = l.id_import
          and coalesce((payload ->> 'idLog')::int, l.id) = l.id)
      order by l.id`),
  add: (tx, { idImport, idLog, endedAt }) =>
    addDelivery(tx, { idSite: tx.site.id, idImport, idLog }, endedAt),
});
