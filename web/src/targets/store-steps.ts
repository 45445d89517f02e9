import { kinds, kindsOf } from './filter-kinds.ts';
import { createTarget } from './target.ts';
import type { UnsavedTarget } from './unsaved-target.ts';
import { storePart } from './use-target-draft.ts';

/** Stores the filters and limits of a target under a new name, for subscribed people only. */
export const storeSteps = <T>(
  idsite: string,
  name: string,
  { filters, ...limits }: UnsavedTarget,
  done: (idTarget: number) => Promise<T>,
): Promise<T> =>
  createTarget(idsite, name, {
    limits,
    conditions: filters.field?.filters ?? [],
    async fill(idTarget) {
      // No other user knows the new target, so any version of it will do.
      const at = { idsite, idTarget, etag: '*' };
      for (const kind of kinds) {
        const definition = filters[kind];
        if (definition)
          await storePart(at, kind, JSON.stringify({ ...definition, [kindsOf[kind].enabled]: true }));
      }
      return done(idTarget);
    },
  });
