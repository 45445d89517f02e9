import { forgetHitSources } from './activity/jobs/forget-hit-sources.ts';
import { trimMailbox } from './bounces/jobs/trim-mailbox.ts';
import { finishImport } from './imports/jobs/finish-import.ts';
import { runImport } from './imports/jobs/run-import.ts';
import type { Task } from './platform/jobs.ts';
import { generateJob } from './sending/jobs/generate-job.ts';

/** Every background task of the program. */
export const tasks: readonly Task<never>[] = [
  forgetHitSources,
  generateJob,
  trimMailbox,
  runImport,
  finishImport,
];
