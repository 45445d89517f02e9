import type { Operation } from '../platform/http/operation.ts';
import { getOrCreateTrackedLinks } from './api/get-or-create-tracked-links.ts';
import { listTrackedLinks } from './api/list-tracked-links.ts';
import { trackAllLinks } from './api/track-all-links.ts';
import { trackLink } from './api/track-link.ts';
import { untrackLink } from './api/untrack-link.ts';

/** The operations of this slice, in the order of the reference. */
export const campaignsOperations: readonly Operation[] = [
  getOrCreateTrackedLinks,
  listTrackedLinks,
  trackAllLinks,
  trackLink,
  untrackLink,
];
