import type { Operation } from '../platform/http/operation.ts';
import { archiveTarget } from './api/archive-target.ts';
import { countTarget } from './api/count-target.ts';
import { countTargets } from './api/count-targets.ts';
import { countUnsavedTarget } from './api/count-unsaved-target.ts';
import { createTarget } from './api/create-target.ts';
import { createTargetWithFilters } from './api/create-target-with-filters.ts';
import { deleteTarget } from './api/delete-target.ts';
import { duplicateTarget } from './api/duplicate-target.ts';
import { findPlaces } from './api/find-places.ts';
import { getTarget } from './api/get-target.ts';
import { getTargetDescription } from './api/get-target-description.ts';
import { getTargetDirectories } from './api/get-target-directories.ts';
import { getTargetSubscriberIds } from './api/get-target-subscriber-ids.ts';
import { getTargetSubscribers } from './api/get-target-subscribers.ts';
import { isTargetSafe } from './api/is-target-safe.ts';
import { listAllTargets } from './api/list-all-targets.ts';
import { listPostcodes } from './api/list-postcodes.ts';
import { listSubscriberTargets } from './api/list-subscriber-targets.ts';
import { listTargets } from './api/list-targets.ts';
import { listUnsavedTargetPeople } from './api/list-unsaved-target-people.ts';
import { loadPostcodes } from './api/load-postcodes.ts';
import { setTargetDirectories } from './api/set-target-directories.ts';
import { setTargetFavourite } from './api/set-target-favourite.ts';
import { unarchiveTarget } from './api/unarchive-target.ts';
import { updateTarget } from './api/update-target.ts';
import { filterOperations } from './filter-operations.ts';

export const targetsOperations: readonly Operation[] = [
  getTarget,
  updateTarget,
  deleteTarget,
  listAllTargets,
  getTargetSubscriberIds,
  getTargetSubscribers,
  getTargetDescription,
  isTargetSafe,
  duplicateTarget,
  countTarget,
  archiveTarget,
  unarchiveTarget,
  listTargets,
  createTarget,
  ...filterOperations,
  getTargetDirectories,
  setTargetDirectories,
  setTargetFavourite,
  createTargetWithFilters,
  countTargets,
  countUnsavedTarget,
  listUnsavedTargetPeople,
  findPlaces,
  listPostcodes,
  loadPostcodes,
  listSubscriberTargets,
];
