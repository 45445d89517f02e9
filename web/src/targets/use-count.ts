import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import type { Entry, Operator } from './condition.ts';
import { type Kind, kinds } from './filter-kinds.ts';
import { type UnsavedTarget, unsavedOf } from './unsaved-target.ts';
import type { Parts, SaveState } from './use-target-draft.ts';

/** How long a count may take before its number is shown as an earlier one. */
const patienceMs = 2_000;

/** How many people a target selects as it is saved. */
export interface TargetCount {
  readonly number: number | undefined;
  /** The number and the target that it is of; undefined while there is none, or if it could not be counted. */
  readonly counted: { readonly target: UnsavedTarget; readonly count: number } | undefined;
  readonly error: unknown;
  /** Whether a change is not counted yet. */
  readonly isPending: boolean;
  /** Whether the number is an earlier one: counting lasts, or the change is not stored because of a conflict. */
  readonly isStale: boolean;
}

/** Counts a target after each save, and abandons an older count. */
export function useCount(idTarget: number, saved: Parts, state: SaveState): TargetCount {
  const site = useSite();
  const params = { path: { idsite: site.name, idTarget } };
  const count = useQuery({
    queryKey: ['targets', site.name, idTarget, 'count', state.at],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => ({
      target: unsavedOf(saved),
      count: await dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/count', { params, signal })),
    }),
  });
  const isPending = state.kind === 'unsaved' || state.kind === 'saving' || count.isFetching;
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!isPending) return;
    const timer = setTimeout(() => setLong(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isPending]);
  return {
    number: count.data?.count,
    counted: count.error ? undefined : count.data,
    error: count.error,
    isPending,
    isStale: (isPending && isLong) || state.kind === 'conflict',
  };
}

/** The condition on a field that its type or list no longer allows, as the error of the API says it. */
export function brokenEntry(error: unknown): Pick<Entry, 'idField' | 'operator'> | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const found = /^A field filter compares field (\d+) by (\w+),/.exec(error.message);
  return found ? { idField: Number(found[1]), operator: found[2] as Operator } : undefined;
}

/** The kind of this target's filter because of which it cannot be counted, as the error of the API says it. */
export function brokenKind(error: unknown): Kind | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const [, word] = /^(?:The|A) (\w+) filter (?!of target)/.exec(error.message) ?? [];
  return kinds.find((kind) => kind === word?.toLowerCase());
}
