import type { TObject, TSchema } from 'typebox';
import { lockFiles } from '../files/file-lock.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { Closed, Maybe } from '../platform/http/schema.ts';
import { addTask } from '../platform/tasks.ts';
import { parseFilter, readSiteForUse } from './filter-site.ts';
import { setFilter } from './filter-store.ts';
import type { FilterKind, TargetFilter } from './filters/filter-kind.ts';
import { filterKindOf, filterKinds } from './filters/filter-kinds.ts';
import { tidyFilterFiles } from './tidy-filter-files.ts';

type Given = Readonly<Record<string, unknown>>;
const kinds: readonly FilterKind[] = filterKinds;

/** The filters of a target as typed: at most one of each kind, with the properties that set it. */
export const UnsavedFilters: TObject = Closed(
  'UnsavedFilters',
  Object.fromEntries(
    kinds.map(({ kind, title, members }) => [
      kind,
      Maybe(Closed(`Unsaved${title}`, members as Record<string, TSchema>)),
    ]),
  ),
);

/** Maximum size of a request with the filters of a target. */
export const filtersMegabytes = Math.max(...filterKinds.map((kind) => kind.bodyMegabytes ?? 1));

/** A filter as a request gives it, before it is parsed. */
export interface GivenFilter {
  readonly kind: string;
  readonly definition: Given;
}

/** The filters of a request, in the order of the kinds. */
export const givenFilters = (filters: Given): GivenFilter[] =>
  kinds.flatMap(({ kind }) => {
    const definition = filters[kind] as Given | null | undefined;
    return definition ? [{ kind, definition }] : [];
  });

/** Keeps the files that filters name from being deleted until the transaction ends. */
export async function keepFiles(tx: SiteDb, filters: readonly GivenFilter[]): Promise<void> {
  const areNeeded = filters.some(({ kind, definition }) => filterKindOf(kind).needs?.(definition).files);
  if (areNeeded) await lockFiles(tx, 'need');
}

/**
 * Parses the filters of a request, as their set operations do. A filter without a condition is left out.
 * @param among see `SelectionOptions`
 * @throws as the operations that set filters; the property that a 400 or 404 names comes after the kind:
 *   `field.filters[0].value: …`.
 */
export async function parseFilters(
  app: App,
  tx: SiteDb,
  at: Date,
  given: readonly GivenFilter[],
  among?: number,
): Promise<GivenFilter[]> {
  const site = await readSiteForUse(app, tx, at, given);
  const parsed: GivenFilter[] = [];
  for (const { kind, definition: typed } of given)
    await inKind(kind, async () => {
      const definition = await parseFilter(app, tx, filterKindOf(kind), typed, site, among);
      if (definition) parsed.push({ kind, definition });
    });
  return parsed;
}

/** Puts the kind before the property that an error names. */
async function inKind(kind: string, parse: () => Promise<void>): Promise<void> {
  try {
    await parse();
  } catch (error) {
    if (error instanceof Refusal && (error.status === 400 || error.status === 404))
      throw new Refusal(error.status, error.code, `${kind}.${error.message}`);
    throw error;
  }
}

/** Stores a parsed filter, and adds the task that is due when it ends. */
export async function storeFilter(tx: SiteDb, filter: TargetFilter): Promise<void> {
  await setFilter(tx, filter);
  const endsAt = filterKindOf(filter.kind).endsAt?.(filter.definition);
  if (!endsAt) return;
  // One job an instant is enough: it looks for all that is due on the site.
  const jobKey = `tidyFilterFiles ${tx.site.id} ${endsAt.toISOString()}`;
  await addTask(tx, tidyFilterFiles, { idSite: tx.site.id }, { runAt: endsAt, jobKey });
}
