import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { type Versioned, versionedOf } from '../api/versions.ts';
import { type Filters, readFilters } from './filter-kinds.ts';
import type { Target } from './target.ts';

/** A target with all its filters. */
export interface WholeTarget {
  readonly target: Target;
  readonly field: components['schemas']['FieldFilter'] | null;
  readonly filters: Filters;
}

/** Reads a target with its filters. */
export async function readTarget(idsite: string, idTarget: number): Promise<Versioned<WholeTarget>> {
  const params = { path: { idsite, idTarget } };
  // Its version first: a change between these reads makes a later write fail, and not pass unseen.
  const { value: target, etag } = await versionedOf(api.GET('/v1/{idsite}/targets/{idTarget}', { params }));
  const field = target.hasFieldFilter
    ? await dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/field', { params }))
    : null;
  return { value: { target, field, filters: await readFilters(idsite, target) }, etag };
}
