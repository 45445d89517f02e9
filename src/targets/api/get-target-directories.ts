import { getDirectoriesOf } from '../../contents/sorted-object.ts';
import { getTargetOrRefuse, sortedTarget } from '../target-store.ts';

export const getTargetDirectories = getDirectoriesOf(sortedTarget, getTargetOrRefuse);
