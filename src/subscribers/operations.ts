import type { Operation } from '../platform/http/operation.ts';
import { countSubscribers } from './api/count-subscribers.ts';
import { createSubscribers } from './api/create-subscribers.ts';
import { deleteSubscribers } from './api/delete-subscribers.ts';
import { getArchivedSubscribers } from './api/get-archived-subscribers.ts';
import { getSubscribers } from './api/get-subscribers.ts';
import { listSubscriberChanges } from './api/list-subscriber-changes.ts';
import { modifySubscribers } from './api/modify-subscribers.ts';
import { resubscribe } from './api/resubscribe.ts';
import { searchSubscribers } from './api/search-subscribers.ts';
import { subscribe } from './api/subscribe.ts';

export const subscribersOperations: readonly Operation[] = [
  getSubscribers,
  modifySubscribers,
  createSubscribers,
  deleteSubscribers,
  getArchivedSubscribers,
  resubscribe,
  searchSubscribers,
  countSubscribers,
  listSubscriberChanges,
  subscribe,
];
