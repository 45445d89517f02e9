import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Import, NewImport } from '../import.ts';
import { checkFormats } from '../import-plan.ts';
import { importSettings } from '../import-settings.ts';
import { insertImport } from '../import-store.ts';
import { planRun } from '../tasks/run-import.ts';

export const createImmediateImport = siteOperation({
  id: 'createImmediateImport',
  method: 'POST',
  path: '/imports/immediate',
  right: 'write',
  tag: 'Imports',
  summary: 'Import a file of subscribers now',
  description:
    'The file is in the default repository of the site. The import checks that the file exists and fits the fields ' +
    'when it runs.',
  body: NewImport,
  bodyMegabytes: largeBodyMegabytes,
  example: {
    parameters: {
      filename: 'subscribers.csv',
      codepage: 65001,
      columnDelimiter: ';',
      keepFld7: true,
      emailNotification: 'ada@example.com',
      columnMapping: [
        { dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' },
        { dbFieldName: 'fld5', idMappingMode: 2, fixedValue: 'Shop' },
      ],
    },
  },
  reply: Import,
  async handle({ db, body: { parameters }, caller, now, app }) {
    await checkFormats(importSettings(parameters), db);
    const scheduledAt = new Date(now.getTime() + app.config.importDelayS * 1_000);
    return db.transaction(async (tx) => {
      const { idUser, userName: author } = caller;
      const made = await insertImport(tx, { idUser, author, parameters, scheduledAt, at: now });
      await planRun(tx, made.id, 1, scheduledAt);
      return made;
    });
  },
});
