import { lostTaskFinder } from '../../accounts/lost-tasks.ts';
import { addGeneration, lostGenerations } from '../start-job.ts';

/**
 * Has jobs generated whose task was lost. The generation itself is one transaction, so a killed one leaves the job
 * Programmed, never Generating. What is taken up more than an hour late is missed there, as ever: nothing is tried for
 * longer.
 */
export const findLostGenerations = lostTaskFinder({
  name: 'findLostGenerations',
  find: lostGenerations,
  add: (tx, { idJob, scheduledAt }) => addGeneration(tx, idJob, scheduledAt),
});
