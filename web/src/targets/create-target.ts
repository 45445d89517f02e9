import { api, dataOf } from '../api/client.ts';
import { fieldIds } from '../subscribers/fields.ts';
import { isSubscribedOnly } from './condition.ts';
import type { UnsavedTarget } from './unsaved-target.ts';

/** A target with the condition that makes it safe. */
export function subscribedOf<T extends UnsavedTarget>(target: T): T {
  const entries = target.filters.field?.filters ?? [];
  const subscribed = { idField: fieldIds.status, operator: 'Equal' as const, value: '0' };
  const filters = [subscribed, ...entries.filter((entry) => !isSubscribedOnly(entry))];
  return { ...target, filters: { ...target.filters, field: { filters } } };
}

/**
 * Creates a target of subscribed people with its filters and limits, all in one call: a part of them would select
 * people whom nobody meant. Returns its id.
 */
export async function createTarget(
  idsite: string,
  name: string,
  target: UnsavedTarget & { readonly isTestTarget?: boolean },
): Promise<number> {
  const params = { path: { idsite } };
  const body = { name, ...subscribedOf(target) };
  return (await dataOf(api.POST('/v1/{idsite}/targets/with-filters', { params, body }))).id;
}
