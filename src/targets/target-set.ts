import { holdFields } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Sql } from '../platform/db/sql.ts';
import { notFound } from '../platform/http/refusal.ts';
import type { FilterSite } from './filters/filter-kind.ts';
import { targetQuery } from './target-query.ts';
import { readWithExcluded } from './target-store.ts';

/**
 * Whom a target selects at an instant, as a query (`select fld0 …`) to be put in parentheses: the one way from a
 * target to its subscribers, for counts, ids, segments and sendings. It gives each subscriber once, in no order.
 * With a random cut each run of the query makes another choice.
 * @throws 404 for an unknown target; 409 when the site's fields have changed so that a filter has lost its meaning.
 */
export async function targetSet(db: SiteDb, idTarget: number, at: Date): Promise<Sql> {
  const targets = await readWithExcluded(db, idTarget);
  if (!targets.has(idTarget)) throw notFound('Target');
  const site = await readFilterSite(db, at);
  return targetQuery({ subscriber: db.t.subscriber, targets, site }, idTarget);
}

/**
 * What filters are read, compiled and described against. Inside a transaction the fields keep their types until its
 * end, so a set that is run there means what it was compiled to.
 */
export async function readFilterSite(db: SiteDb, at: Date): Promise<FilterSite> {
  const fields = await holdFields(db);
  return { fields: new Map(fields.map((field) => [field.id, field])), now: at };
}
