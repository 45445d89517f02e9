import { readSiteForUse } from '../targets/filter-site.ts';
import { setFilter } from '../targets/filter-store.ts';
import { filterKindOf } from '../targets/filters/filter-kinds.ts';
import { withFilterFiles } from '../targets/selection.ts';
import { parametersOf } from '../targets/target.ts';
import { insertTarget } from '../targets/target-store.ts';
import type { TestApp } from './app.ts';
import type { ModelTarget } from './target-model.ts';

/** Stores targets with their filters as the API would; their ids, in order. */
export async function storeTargets(
  { app, db }: TestApp,
  targets: readonly ModelTarget[],
  now: Date,
): Promise<number[]> {
  const ids: number[] = [];
  for (const { filters, excluded, pctSelect, maxSelect, isRandomMode } of targets) {
    const excludedTargets = excluded.map((position) => ids[position]!);
    // A share of 0 is no longer taken, but it may be there from before.
    const given = { name: 'Drawn', pctSelect: pctSelect || 1, maxSelect, isRandomMode, excludedTargets };
    const parameters = { ...parametersOf(given), pctSelect };
    const idTarget = await insertTarget(db, parameters, { idUser: 1, userName: 'Ada' }, now);
    const site = await withFilterFiles(app, db, (tx) => readSiteForUse(app, tx, now, filters));
    for (const { kind, isEnabled, definition: given } of filters) {
      const definition = filterKindOf(kind).parse(given, site);
      if (!definition) throw new Error(`No condition: ${JSON.stringify(given)}`);
      await setFilter(db, { idTarget, kind, isEnabled, definition });
    }
    ids.push(idTarget);
  }
  return ids;
}
