/**
 * Searches of subscribers by part of a text, with and without the indexes that a site's first search has built, in one
 * run: the first page over the store, the median of some searches each. Fails when one takes longer than 500 ms with
 * the indexes.
 *
 *   npx tsx bench/search.ts [subscribers]
 */
import { readFieldSet } from '../src/fields/field-store.ts';
import { sql } from '../src/platform/db/sql.ts';
import { buildSearchIndexes, searchSubscribers } from '../src/subscribers/search-store.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantBelow } from './goal.ts';
import { medianMs, msOf } from './measure.ts';
import { addTargetData } from './targets-fields.ts';

const subscribers = Number(process.argv[2] ?? 1_000_000);
const repeats = 5;
const maxMs = 500;

const { db, close } = await startBenchDatabase();
try {
  await addTargetData(db, subscribers);
  await db.run(sql`analyze ${db.t.subscriber}`);
  const { version, fields } = await readFieldSet(db);
  const set = { version, fields, byId: new Map(fields.map((field) => [field.id, field])) };
  const searches: readonly (readonly [string, string])[] = [
    ['one address, its beginning', `reader.${Math.floor(subscribers / 2)}@`],
    ['a name of many', `Nom ${Math.floor(20_011 / 2)}`],
    ['a part that a quarter has', '@free.f'],
    ['a part that nobody has', 'zzqzz'],
    ['two letters that nobody has', 'qz'],
  ];
  const firstPage = (search: string) =>
    medianMs(repeats, () => searchSubscribers(db, { search, before: undefined }, set, fields));
  const plain = new Map<string, number>();
  for (const [, search] of searches) plain.set(search, await firstPage(search));
  const seconds = ((await msOf(() => buildSearchIndexes(db))) / 1000).toFixed(1);
  const { size } = await db.one<{ size: string }>(sql`
    select pg_size_pretty(sum(pg_relation_size(indexrelid))) as size from pg_index
    where indrelid = ${db.t.subscriber.text}::regclass and indexrelid::regclass::text like '%subscriber_search%'`);
  process.stdout.write(`${subscribers} subscribers; indexes built in ${seconds} s, ${size}\n`);
  for (const [name, search] of searches) {
    const ms = await firstPage(search);
    process.stdout.write(
      `${name}: ${ms.toFixed(1)} ms; without the indexes ${plain.get(search)!.toFixed(1)} ms\n`,
    );
    // No index by trigrams finds two letters.
    if (search.length > 2) wantBelow(`${name}, ms`, ms, maxMs);
  }
} finally {
  await close();
}
