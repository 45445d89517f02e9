import { Temporal } from 'temporal-polyfill';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { raw, sql } from '../platform/db/sql.ts';

/**
 * Creates missing partitions for months that have hits. They are created on demand, so that a site has as many as it
 * has months, and a hit from a wrong clock has a place too. Months are those of UTC.
 * @param months first days, for example `2026-11-01`.
 */
export async function makeHitMonths(tx: SiteDb, months: readonly string[]): Promise<void> {
  if (months.length === 0) return;
  const names = new Map(months.map((month) => [`hit_${month.slice(0, 7).replace('-', '_')}`, month]));
  const missing = sql`
    select name from unnest(${[...names.keys()]}::text[]) name
    where to_regclass(format('%I.%I', ${tx.site.schema}::text, name)) is null
    order by name`;
  if ((await tx.rows(missing)).length === 0) return;
  // Concurrent callers wait for each other; the second finds nothing missing.
  await tx.run(advisoryLock(`months of ${tx.site.schema}`));
  for (const { name } of await tx.rows<{ name: string }>(missing)) {
    const partition = tx.name(name);
    const first = Temporal.PlainDate.from(names.get(name)!);
    // Definitions accept no parameters, so the dates are literals.
    const bounds = raw(`from ('${first} 00:00:00+00') to ('${first.add({ months: 1 })} 00:00:00+00')`);
    // Attached, not created in place, which would lock readers out of all months for a moment.
    await tx.run(sql`create table ${partition} (like ${tx.t.hit_folded} including defaults)`);
    await tx.run(sql`alter table ${tx.t.hit_folded} attach partition ${partition} for values ${bounds}`);
  }
}
