import type { TObject, TSchema } from 'typebox';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { Closed, Maybe, type Static } from '../platform/http/schema.ts';
import { parseFilter, readSiteForUse } from './filter-site.ts';
import type { FilterKind, TargetFilter } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import { requestMs, Selection, type SelectionOptions, type TargetSteps } from './selection.ts';
import { GivenTarget, parametersOf, type TargetDefinition } from './target.ts';

/** The id of a target that is not saved; saved ones count from 1. */
const unsavedId = 0;

type Given = Readonly<Record<string, unknown>>;
const kinds: readonly FilterKind[] = filterKinds;

/** The filters of a target as typed: at most one of each kind, with the properties that set it. */
const UnsavedFilters: TObject = Closed(
  'UnsavedFilters',
  Object.fromEntries(
    kinds.map(({ kind, title, members }) => [
      kind,
      Maybe(Closed(`Unsaved${title}`, members as Record<string, TSchema>)),
    ]),
  ),
);

const { pctSelect, maxSelect, isRandomMode, excludedTargets } = GivenTarget.properties;

/** The properties of a target that is not saved, as a request gives them. */
export const unsavedProperties = {
  filters: UnsavedFilters,
  ...{ pctSelect, maxSelect, isRandomMode, excludedTargets },
};

/** An example of `unsavedProperties`. */
export const unsavedExample = {
  filters: { field: { filters: [{ idField: 7, operator: 'Equal', value: '0' }] } },
};

/** Maximum size of a request with the filters of a target. */
export const unsavedMegabytes = Math.max(...filterKinds.map((kind) => kind.bodyMegabytes ?? 1));

interface UnsavedOptions extends Pick<SelectionOptions, 'app' | 'db' | 'at' | 'signal'> {
  /** SQL filters are evaluated for this number of subscribers only, those with the lowest ids. */
  readonly among?: number | undefined;
  readonly given: { readonly filters: Given } & Omit<Static<typeof GivenTarget>, 'name' | 'isTestTarget'>;
}

/**
 * Runs statements over the steps of a target that is not saved, for a caller and in a transaction that can change
 * nothing.
 * @throws as `parseUnsavedFilters` and `Selection.evaluateUnsaved`.
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
    const filters = await parseUnsavedFilters(of.app, tx, of.at, typed, of.among);
    const target = { id: unsavedId, parameters, filters };
    return selection.evaluateUnsaved(target, (steps) => read(tx, steps, target));
  });
}

/** Whether a user wrote the expression of one of the filters. */
const hasUserExpression = (given: Given): boolean =>
  kinds.some(({ kind, isWrittenByUsers }) => isWrittenByUsers && given[kind]);

/**
 * Parses the filters of a target that is not saved, as their set operations do. A filter without a condition is left
 * out.
 * @param among see `UnsavedOptions`
 * @throws as the operations that set filters; a 400 names the kind too: `field.filters[0].value: …`.
 */
async function parseUnsavedFilters(
  app: App,
  tx: SiteDb,
  at: Date,
  filters: Given,
  among?: number,
): Promise<TargetFilter[]> {
  const given = kinds.flatMap((kind) => {
    const definition = filters[kind.kind] as Given | null | undefined;
    return definition ? [{ of: kind, kind: kind.kind, definition }] : [];
  });
  const site = await readSiteForUse(app, tx, at, given);
  const parsed: TargetFilter[] = [];
  for (const { of: kind, definition: typed } of given) {
    await inKind(kind.kind, async () => {
      const definition = await parseFilter(app, tx, kind, typed, site, among);
      if (definition) parsed.push({ idTarget: unsavedId, kind: kind.kind, isEnabled: true, definition });
    });
  }
  return parsed;
}

/** Puts the kind before the property that a 400 names. */
async function inKind(kind: string, parse: () => Promise<void>): Promise<void> {
  try {
    await parse();
  } catch (error) {
    if (error instanceof Refusal && error.status === 400)
      throw new Refusal(400, error.code, `${kind}.${error.message}`);
    throw error;
  }
}
