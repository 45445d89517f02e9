import { appendFile, readFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { readDocument } from './document.ts';
import type { TestPart } from './long-tests.ts';
import { memberGaps } from './member-gaps.ts';
import { replyGaps } from './reply-gaps.ts';

const scheduleMembers = [
  ...['FilePattern', 'FileRetentionInNbDays', 'Enabled', 'FreqType', 'FreqInterval', 'FreqSubdayType'],
  ...['FreqSubdayInterval', 'FreqRelativeInterval', 'FreqRecurrenceFactor', 'ActiveStartDate'],
  ...['ActiveEndDate'],
  ...['ActiveStartTime', 'ActiveEndTime'],
].map((name) => `ExportJob.schedule${name}`);

/** Properties of the document that have no value here; docs/decisions/exports.md and targets.md say why. */
const valueless: readonly string[] = [
  ...scheduleMembers,
  ...['islockedByAdmin', 'adminComments', 'isRandomized', 'exportJobDtsxes', 'exportJobTsqls'].map(
    (name) => `ExportJob.${name}`,
  ),
  'Target.hasReactivityFilter',
  'TargetItem.isAutomation',
];

/** Properties that tests show with a value by another way than an operation of their own process, and where. */
export const shownElsewhere: Readonly<Record<string, readonly string[]>> = {
  'imports/tasks/run-import.test.ts': [
    ...['totalRows', 'totalDuplicateKeys', 'nbValidations', 'nbErrorRows', 'nbBadFormattedRows'],
    ...['badFormattedRowNumbers', 'totalUpdates', 'nbUpdates', 'totalInserts', 'nbInserts'],
    ...['nbForbiddenInserts'],
  ].flatMap((name) => [`ImportLog.${name}`, `ImportItem.${name}`]),
  'imports/tasks/run-import-packed.test.ts': ['ImportParameters.sheetName'],
  'targets/activity-filter-operations.test.ts': [
    ...['thisWeek', 'lastWeek', 'twoWeeksAgo', 'threeWeeksAgo', 'fourWeeksAgo'],
    ...['betweenStartDate', 'betweenEndDate'],
  ].map((name) => `EmailPressureFilter.${name}`),
  'targets/filters/geolocation-filter.test.ts': ['GeolocationFilter.radius'],
  'simulation.test.ts': [
    'SendingStatistics.nbGodsons',
    ...['nbGodsons', 'reacPub', 'reacUnsub', 'nbClicksViral', 'nbClickersViral', 'reacViral'].map(
      (name) => `MultiSendingStatistics.${name}`,
    ),
  ],
};

/** A line of the notes: all tests of a part were run. */
const partNote = (part: TestPart): string => `part ${part}`;

/**
 * After all tests: fails the run when an operation declares a reply that no test provoked, or gave one that it does
 * not declare, and when a parameter or a property of the user's document was never given or never had a value. One run
 * may cover all tests, or several runs that share the file of notes, each a part; the last one compares. A run of some
 * files or of some names covers no part.
 */
export async function checkReplies(project: TestProject, file: string): Promise<void> {
  if (!(await isWhole(project))) return;
  await appendFile(
    file,
    project
      .getProvidedContext()
      .testParts.map((part) => `${partNote(part)}\n`)
      .join(''),
  );
  const notes = (await readFile(file, 'utf8')).split('\n');
  if (!(['short', 'long'] as const).every((part) => notes.includes(partNote(part)))) return;
  // Not before: a run of one file need not load the whole program here as well.
  const { operations } = await import('../api.ts');
  const excepted = new Set([...valueless, ...Object.values(shownElsewhere).flat()]);
  const gaps = [...replyGaps(operations, notes), ...memberGaps(readDocument(), notes, excepted)];
  if (gaps.length === 0)
    return void process.stdout.write('Every reply that an operation declares was seen\n');
  process.stderr.write(
    `\nReplies of operations and members of the document (CONTRIBUTING.md, Tests):\n${gaps.join('\n')}\n\n`,
  );
  // An error thrown here would be printed and forgotten.
  process.exitCode = 1;
}

async function isWhole(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const run = new Set(project.vitest.state.getFiles().map(({ filepath }) => filepath));
  return project.vitest.config.testNamePattern === undefined && testFiles.every((file) => run.has(file));
}
