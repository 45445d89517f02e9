import { kinds, kindsOf } from './filter-kinds.ts';
import { createTarget } from './target.ts';
import type { UnsavedTarget } from './unsaved-target.ts';
import { storePart } from './use-target-draft.ts';

/** Stores the filters and limits of a target under a new name, for subscribed people only. Returns its id. */
export async function storeSteps(
  idsite: string,
  name: string,
  { filters, ...limits }: UnsavedTarget,
): Promise<number> {
  const idTarget = await createTarget(idsite, name, limits, filters.field?.filters ?? []);
  // Nobody else changes a target that is new, so any version of it will do.
  const at = { idsite, idTarget, etag: '*' };
  for (const kind of kinds) {
    const definition = filters[kind];
    if (definition)
      await storePart(at, kind, JSON.stringify({ ...definition, [kindsOf[kind].enabled]: true }));
  }
  return idTarget;
}
