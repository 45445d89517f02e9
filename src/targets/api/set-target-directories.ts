import { setDirectoriesOf } from '../../contents/sorted-object.ts';
import { sortedTarget } from '../target-store.ts';

export const setTargetDirectories = setDirectoriesOf(sortedTarget, '`listTargets` returns their names and');
