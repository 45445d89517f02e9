import type { TObject, TSchema } from 'typebox';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { Closed, Maybe } from '../platform/http/schema.ts';
import { parseFilter, readSiteForUse } from './filter-site.ts';
import type { FilterKind, TargetFilter } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';

/** The id of a target that is not saved; saved ones count from 1. */
export const unsavedId = 0;

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

/** Whether a user wrote the expression of one of the filters. */
export const hasUserExpression = (given: Given): boolean =>
  kinds.some(({ kind, isWrittenByUsers }) => isWrittenByUsers && given[kind]);

/**
 * Parses the filters of a target that is not saved, as their set operations do. A filter without a condition is left
 * out.
 * @param among see `SelectionOptions`
 * @throws as the operations that set filters; a 400 names the kind too: `field.filters[0].value: …`.
 */
export async function parseUnsavedFilters(
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
