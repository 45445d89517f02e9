import { makeField } from '../src/fields/field.ts';
import { insertField } from '../src/fields/field-store.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { raw, sql } from '../src/platform/db/sql.ts';
import { plainReceipt } from './targets-data.ts';

const definitions = [
  { name: 'Points', fieldType: 'Integer' },
  { name: 'City', fieldType: 'Text', length: 100 },
  { name: 'Born', fieldType: 'Date' },
] as const;
const hashes = ['email_md5', 'email_sha1', 'email_sha256', 'email_sha512'];

/** Subscribers with 14 filled columns, seven of eight subscribed. */
export async function addTargetData(db: SiteDb, subscribers: number): Promise<void> {
  for (const definition of definitions)
    await insertField(db, definitions.length, (id) => makeField(id, definition));
  await db.run(sql`
    insert into ${db.t.subscriber} (fld0, fld1, fld2, fld3, fld5, fld7, fld21, fld22, fld40, fld41, fld101, fld102, fld103)
    select i, 'reader.' || i || '@' || (array['gmail.com', 'orange.fr', 'free.fr', 'outlook.com'])[1 + i % 4], now(),
      now(), 'fair', case when i % 8 = 0 then 1 else 0 end, 'Prénom ' || i % 3000, 'Nom ' || i % 20011,
      lpad((1000 + (i::bigint * 7919) % 94000)::text, 5, '0'), 'FR', (i::bigint * 104729) % 1000, 'Ville ' || i % 900,
      timestamptz '1950-01-01' + (i % 20000) * interval '1 day'
    from generate_series(1, ${subscribers}::int) i`);
  await db.run(
    sql`select setval(pg_get_serial_sequence(${`${db.site.schema}.subscriber`}, 'fld0'), ${subscribers})`,
  );
  // A site builds them when a filter first needs them; built here, the first question does not wait.
  for (const hash of hashes) {
    const name = raw(`subscriber_${hash}`);
    await db.run(sql`create index ${name} on ${db.t.subscriber} using hash (facteur.${raw(hash)}(fld1))`);
  }
  await db.run(sql`
    create table ${plainReceipt(db)} (id_sent int not null, id_subscriber int not null, state smallint not null,
      code smallint not null, id_provider int not null, at timestamptz not null)`);
  await db.run(sql`create index on ${plainReceipt(db)} using brin (at) with (autosummarize = on)`);
}
