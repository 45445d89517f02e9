import { trimMailbox } from './bounces/jobs/trim-mailbox.ts';
import type { Task } from './platform/jobs.ts';

/** Every background task of the program. */
export const tasks: readonly Task<never>[] = [trimMailbox];
