import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Import } from '../import.ts';
import { checkFormats } from '../import-plan.ts';
import { filenameOf, NewSchedulingInfos, readScheduling } from '../import-schedule.ts';
import { importSettings } from '../import-settings.ts';
import { findImport, lockForAct, setImportSchedule, versionOfImport } from '../import-store.ts';
import { planRun } from '../tasks/run-import.ts';

export const modifyImportSchedule = siteOperation({
  id: 'modifyImportSchedule',
  method: 'PUT',
  path: '/imports/{idImport}/schedule',
  right: 'write',
  tag: 'Imports',
  summary: 'Change the schedule of an import',
  description:
    'Replaces `schedulingInfos`; omitted properties take their defaults. The parameters and the logs stay. A paused ' +
    'import stays paused; the new dates hold once it is resumed, and a run that the pause interrupted is not ' +
    'repeated. Only an import that is Scheduled or Paused can be rescheduled (409).',
  params: Params({ idImport: Id('import') }),
  body: NewSchedulingInfos,
  example: {
    isRecurring: true,
    recurringInfos: {
      filenameTemplate: 'nightly/people_{yyyy}{MM}{dd}.csv',
      frequencyUnits: 'Day',
      frequency: 1,
      time: '02:30:00',
    },
  },
  versionOf: (db, { params }, isLocked) => versionOfImport(db, params.idImport, isLocked),
  reply: Import,
  refusals: [409],
  handle: ({ db, params: { idImport }, body, now }) =>
    db.transaction(async (tx) => {
      const { parameters, state } = await lockForAct(tx, idImport, 'rescheduled');
      const planned = readScheduling(body, now, '');
      const filename = filenameOf(parameters.filename, planned.scheduling, planned.scheduledAt);
      await checkFormats(importSettings({ ...parameters, filename }), tx);
      const run = await setImportSchedule(tx, idImport, planned);
      if (state === 'Scheduled') await planRun(tx, idImport, run, planned.scheduledAt);
      return found(await findImport(tx, idImport), 'Import');
    }),
});
