import type { SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { changeOfJudged } from './hit-burst.ts';
import { hitColumns } from './hit-change.ts';

/**
 * A query of all hits of sendings, with the classes that the counters give them, including hits that are not aggregated
 * yet.
 * @param ids an array of ids of sendings
 */
export function judgedHits(t: SiteTables, ids: Sql): Sql {
  const fresh = sql`select ${hitColumns}, id_link from ${t.hit_new} where id_sent = any(${ids})`;
  return sql`
    with ${changeOfJudged(t, fresh)}
    select ${hitColumns} from change where after
    union all
    select ${hitColumns} from ${t.hit_folded} h
    where id_sent = any(${ids}) and not exists (
      select from change c where c.id_sent = h.id_sent and c.id_subscriber = h.id_subscriber)`;
}
