import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import type { ImportParameters } from './mapping.ts';

export type DryRun = components['schemas']['DryRun'];

/** How long after the last change of columns or rules the dry run is repeated. */
const quietMs = 600;
/** A site has one dry run at a time; the abandoned one, or another person's, ends soon. */
const busyRetries = 30;
const busyMs = 1_000;

/** The dry run of what the user has prepared. */
export interface Trial {
  readonly result: DryRun | undefined;
  /** How long the service needed. */
  readonly seconds: number;
  readonly error: unknown;
  /** Whether `result` is of an earlier choice, or there is none yet. */
  readonly isPending: boolean;
}

/** Tries the import without changing anything, again after each change; an older try is abandoned. */
export function useDryRun(parameters: ImportParameters | undefined): Trial {
  const site = useSite();
  const text = parameters && JSON.stringify(parameters);
  const [settled] = useDebouncedValue(text, quietMs);
  const trial = useQuery({
    queryKey: ['imports', site.name, 'dry run', settled],
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    // The subscribers and the file may change at any time.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: (failures, error) =>
      error instanceof ApiError && error.status === 429 ? failures < busyRetries : false,
    retryDelay: busyMs,
    queryFn: async ({ signal }) => {
      const began = performance.now();
      const result = await dataOf(
        api.POST('/v1/{idsite}/imports/dry-run', {
          params: { path: { idsite: site.name } },
          body: { parameters: JSON.parse(settled!) as ImportParameters },
          signal,
        }),
      );
      return { result, seconds: (performance.now() - began) / 1000 };
    },
  });
  const isPending = text !== undefined && (settled !== text || trial.isFetching);
  return {
    result: text === undefined || trial.error ? undefined : trial.data?.result,
    seconds: trial.data?.seconds ?? 0,
    error: isPending ? null : trial.error,
    isPending,
  };
}

/** The number of people that the import would add or change. */
export const concernedBy = (run: DryRun): number => run.nbInserts + run.nbUpdates;
