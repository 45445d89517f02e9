import { lostTaskFinder } from '../../accounts/lost-tasks.ts';
import { addGeneration } from '../job-store.ts';
import { lostGenerations } from '../start-job.ts';

/**
 * Has jobs generated whose task was lost: those that wait for it, and those that a killed process left Generating.
 * What is taken up more than an hour late is missed there, as ever: nothing is attempted for longer.
 */
export const findLostGenerations = lostTaskFinder({
  name: 'findLostGenerations',
  find: lostGenerations,
  add: (tx, { idJob, scheduledAt }) => addGeneration(tx, idJob, scheduledAt),
});
