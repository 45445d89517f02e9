import type { SiteDb } from '../platform/db/site-db.ts';
import { Maybe, type Static, Type } from '../platform/http/schema.ts';
import type { FilterKind } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import { givenFilters, parseFilters, UnsavedFilters } from './given-filters.ts';
import { requestMs, Selection, type SelectionOptions, type TargetSteps } from './selection.ts';
import { GivenTarget, parametersOf, type TargetDefinition } from './target.ts';

/** The id of a target that is not saved; saved ones count from 1. */
const unsavedId = 0;

type Given = Readonly<Record<string, unknown>>;
const kinds: readonly FilterKind[] = filterKinds;

const { pctSelect, maxSelect, isRandomMode, excludedTargets } = GivenTarget.properties;

/** The properties of a target that is not saved, as a request gives them. */
export const unsavedProperties = {
  filters: UnsavedFilters,
  ...{ pctSelect, maxSelect, isRandomMode, excludedTargets },
};

/** How many subscribers a slow SQL filter is tried on. */
export const AmongLowest = (words: string) =>
  Maybe(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: `${words} among this number of subscribers, those with the lowest ids. Default: all`,
    }),
  );

/** An example of `unsavedProperties`. */
export const unsavedExample = {
  filters: { field: { filters: [{ idField: 7, operator: 'Equal', value: '0' }] } },
};

interface UnsavedOptions extends Pick<SelectionOptions, 'app' | 'db' | 'at' | 'signal'> {
  /** SQL filters are evaluated for this number of subscribers only, those with the lowest ids. */
  readonly among?: number | undefined;
  readonly given: { readonly filters: Given } & Omit<Static<typeof GivenTarget>, 'name' | 'isTestTarget'>;
}

/**
 * Runs statements over the steps of a target that is not saved, for a caller and in a transaction that can change
 * nothing.
 * @throws as `parseFilters` and `Selection.evaluateUnsaved`.
 */
export async function readUnsaved<T>(
  { given: { filters: typed, ...limits }, ...of }: UnsavedOptions,
  read: (tx: SiteDb, steps: TargetSteps, target: TargetDefinition) => Promise<T>,
): Promise<T> {
  const parameters = parametersOf({ name: 'Unsaved', ...limits });
  const keepsSnapshot = hasUserExpression(typed);
  const options = { ...of, reader: 'caller', limitMs: requestMs, keepsSnapshot } as const;
  return Selection.select(options, async (selection) => {
    const { tx } = selection;
    const parsed = await parseFilters(of.app, tx, of.at, givenFilters(typed), of.among);
    const filters = parsed.map((filter) => ({ ...filter, idTarget: unsavedId, isEnabled: true }));
    const target = { id: unsavedId, parameters, filters };
    return selection.evaluateUnsaved(target, (steps) => read(tx, steps, target));
  });
}

/** Whether a user wrote the expression of one of the filters. */
const hasUserExpression = (given: Given): boolean =>
  kinds.some(({ kind, isWrittenByUsers }) => isWrittenByUsers && given[kind]);
