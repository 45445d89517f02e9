import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Import, NewScheduledImport } from '../import.ts';
import { checkFormats } from '../import-plan.ts';
import { filenameOf, readScheduling } from '../import-schedule.ts';
import { importSettings } from '../import-settings.ts';
import { insertImport } from '../import-store.ts';
import { planRun } from '../tasks/run-import.ts';

export const createScheduledImport = siteOperation({
  id: 'createScheduledImport',
  method: 'POST',
  path: '/imports/scheduled',
  right: 'write',
  tag: 'Imports',
  summary: 'Schedule an import',
  description:
    'Once: `scheduledDate`. Repeatedly: `isRecurring` with `recurringInfos`. Each run has its log; a run ' +
    'without its file does not end the recurrence; of several runs whose time passed while the service was down ' +
    'only the last is done. `filenameTemplate` goes before `parameters.filename`, which may be empty then. A date ' +
    'that is more than a minute past is refused.',
  body: NewScheduledImport,
  bodyMegabytes: largeBodyMegabytes,
  example: {
    parameters: {
      filename: '',
      codepage: 65001,
      emailNotification: 'ada@example.com',
      columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
    },
    schedulingInfos: {
      isRecurring: true,
      recurringInfos: {
        filenameTemplate: 'nightly/people_{yyyy}{MM}{dd}.csv',
        frequencyUnits: 'Week',
        weekDays: 'Monday;Thursday',
        time: '02:30:00',
      },
    },
  },
  reply: Import,
  async handle({ db, body: { parameters, schedulingInfos }, caller, now }) {
    const { scheduledAt, scheduling } = readScheduling(schedulingInfos, now, 'schedulingInfos.');
    const filename = filenameOf(parameters.filename, scheduling, scheduledAt);
    await checkFormats(importSettings({ ...parameters, filename }), db);
    const { idUser, userName: author } = caller;
    return db.transaction(async (tx) => {
      const made = await insertImport(tx, { idUser, author, parameters, scheduling, scheduledAt, at: now });
      await planRun(tx, made.id, 1, scheduledAt);
      return made;
    });
  },
});
