import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import type { Entry } from './condition.ts';
import { type Filter, isOn, type Kind, kinds, kindsOf } from './filter-kinds.ts';
import type { Part, Parts, TargetDraft } from './use-target-draft.ts';

/** Filters and limits of a target, as a request gives them without saving them. */
export type UnsavedTarget = Omit<components['schemas']['UnsavedTargetOfPeople'], 'among'>;

/** How many people each step of a target leaves. */
export type UnsavedCount = components['schemas']['UnsavedTargetCount'];
export type StepName = UnsavedCount['steps'][number]['step'];

/** The filters of a stored target that are on, and its limits, as a count accepts them. */
export function unsavedOf(saved: Parts): UnsavedTarget {
  const stored = <T>(part: Part, without: T): T => (saved[part] ? JSON.parse(saved[part]) : without);
  const { pctSelect, maxSelect, isRandomMode, excludedTargets } = stored<Partial<TargetDraft['parameters']>>(
    'parameters',
    {},
  );
  const field = stored<{ isEnabled: boolean; filters: Entry[] }>('field', { isEnabled: false, filters: [] });
  const entries = field.isEnabled ? field.filters : [];
  const definitionOf = <K extends Kind>(kind: K) => {
    const filter = stored<Filter<K>>(kind, kindsOf[kind].none);
    if (!isOn(kind, filter)) return [];
    const { [kindsOf[kind].enabled]: _, ...definition } = filter as Readonly<Record<string, unknown>>;
    return [[kind, definition] as const];
  };
  return {
    filters: {
      ...(entries.length > 0 && { field: { filters: entries } }),
      ...(Object.fromEntries(kinds.flatMap(definitionOf)) as UnsavedTarget['filters']),
    },
    ...{ pctSelect, maxSelect, isRandomMode, excludedTargets },
  };
}

/** A target cut down to some of its steps. */
export function withSteps(target: UnsavedTarget, steps: readonly StepName[]): UnsavedTarget {
  const { filters, excludedTargets, ...limit } = target;
  const kept = Object.entries(filters).filter(([kind]) => steps.includes(kind as StepName));
  return {
    filters: Object.fromEntries(kept),
    ...(steps.includes('excludedTargets') && { excludedTargets }),
    ...(steps.includes('limit') && limit),
  };
}

/** Counts the people that each step of a target leaves. @param among only this number of people */
export const countUnsaved = (
  idsite: string,
  target: UnsavedTarget,
  { signal, among }: { readonly signal?: AbortSignal; readonly among?: number } = {},
): Promise<UnsavedCount> =>
  dataOf(
    api.POST('/v1/{idsite}/targets/count-unsaved', {
      params: { path: { idsite } },
      body: { ...target, ...(among !== undefined && { among }) },
      ...(signal && { signal }),
    }),
  );
