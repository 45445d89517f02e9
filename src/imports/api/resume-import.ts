import { siteAction } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { nextRun } from '../../platform/recurrence.ts';
import { readRecurrence } from '../import-schedule.ts';
import { lockForAct, replanImport, type StoredImport } from '../import-store.ts';
import { planRun } from '../tasks/run-import.ts';

export const resumeImport = siteAction({
  id: 'resumeImport',
  method: 'POST',
  path: '/imports/{idImport}/resume',
  right: 'write',
  tag: 'Imports',
  summary: 'Resume a paused import',
  description:
    'An interrupted run restarts. An import whose date has passed runs immediately; a recurring ' +
    'one waits for its next date.',
  params: Params({ idImport: Id('import') }),
  refusals: [409],
  handle: ({ db, params: { idImport }, now }) =>
    db.transaction(async (tx) => {
      const found = await lockForAct(tx, idImport, 'resumed');
      const scheduledAt = plannedAt(found, now);
      const run = await replanImport(tx, idImport, scheduledAt);
      await planRun(tx, idImport, run, scheduledAt);
    }),
});

/** When the run is planned for: as it was, unless that is a date of a recurrence that passed without a beginning. */
function plannedAt({ scheduling, scheduledAt, startedAt }: StoredImport, now: Date): Date {
  const { recurringInfos } = scheduling;
  if (startedAt || scheduledAt > now || !recurringInfos) return scheduledAt;
  const next = nextRun(readRecurrence(recurringInfos), now);
  if (!next) throw conflict('The import cannot be resumed: no run is left before its endDate');
  return next;
}
