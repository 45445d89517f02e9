import { api, dataOf } from '../api/client.ts';
import { createTarget } from '../targets/create-target.ts';

/** The target of all people who may be written to, as far as the site has one. */
export interface Everyone {
  readonly idTarget: number;
  readonly count: number;
}

/** Field 7 is 0 for subscribed people; field 44 is 0 or 1 for reachable ones. A target with both is safe. */
export const mayBeWrittenTo = [
  { idField: 7, operator: 'Equal', value: '0' },
  { idField: 44, operator: 'LessOrEqual', value: '1' },
] as const;

/** Finds the first safe target that takes everyone, and counts it. The one of sample data takes made-up people only. */
export async function findEveryone(idsite: string): Promise<Everyone | null> {
  const params = { path: { idsite } };
  const [{ items }, sample] = await Promise.all([
    dataOf(api.GET('/v1/{idsite}/targets/all', { params })),
    dataOf(api.GET('/v1/{idsite}/sample-data', { params })),
  ]);
  const found = items.find(
    ({ idTarget, isSafe, isTestTarget, pctSelect, maxSelect }) =>
      idTarget !== sample?.idTarget && isSafe && !isTestTarget && pctSelect === 100 && maxSelect === null,
  );
  if (!found) return null;
  const path = { idsite, idTarget: found.idTarget };
  const count = await dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/count', { params: { path } }));
  return { idTarget: found.idTarget, count };
}

/** The target of all subscribed people; makes it if there is none. */
export async function ensureEveryone(idsite: string, name: string): Promise<number> {
  const found = await findEveryone(idsite);
  if (found) return found.idTarget;
  return createTarget(idsite, name, { filters: { field: { filters: [...mayBeWrittenTo] } } });
}
