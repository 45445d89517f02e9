import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { DryRun, dryRun } from '../dry-run.ts';
import { NewImport } from '../import.ts';
import { checkFormats } from '../import-plan.ts';
import { importSettings } from '../import-settings.ts';

export const tryImport = siteOperation({
  id: 'tryImport',
  method: 'POST',
  path: '/imports/dry-run',
  right: 'write',
  unaudited: 'read',
  tag: 'Imports',
  summary: 'Try an import without changing anything',
  description:
    'Accepts the body of createImmediateImport, reads the whole file as the import does, and returns what the import ' +
    'would do now. Nothing is changed, no file is written or deleted, and no notice is sent. If safeMode prevents ' +
    'all changes, nbUpdates and nbInserts are 0; the other figures show what the rows would change without it. ' +
    'The first 20 rows of each figure are returned with their cells. ' +
    'Values that only the writing itself could reject are not found. A file of more than 1,000,000 rows, one that ' +
    'takes longer than 30 seconds, and one that no import can read are rejected (422). A site has one dry run at a ' +
    'time (429).',
  body: NewImport,
  bodyMegabytes: largeBodyMegabytes,
  example: {
    parameters: {
      filename: 'subscribers.csv',
      codepage: 65001,
      columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
    },
  },
  reply: DryRun,
  refusals: [422, 503],
  // Each holds a connection to the database, and a workbook is brought to the disk as a whole.
  atOnce: 4,
  async handle({ app, db, body: { parameters }, now, signal }) {
    const settings = importSettings(parameters);
    await checkFormats(settings, db);
    return dryRun(app, db, { settings, at: now, client: signal });
  },
});
