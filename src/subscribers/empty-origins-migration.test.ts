import { expect, it } from 'vitest';
import { readMigrations } from '../platform/db/migrate.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { testSite } from '../testing/site.ts';

it('origins that older versions wrote empty are no values afterwards; the others stay', async () => {
  const { db, close } = await testSite();
  try {
    await db.run(sql`
      insert into ${db.t.subscriber} (fld1, fld5, fld6) values
        ('a@example.com', '', ''), ('b@example.com', '', 'shop'), ('c@example.com', 'fair', ''),
        ('d@example.com', null, 'shop')`);
    const text = (await readMigrations('site')).find(({ name }) => name.includes('no-empty-origins'))!.text;
    await db.transaction(async (tx) => {
      await tx.run(sql`select set_config('search_path', ${db.site.schema}, true)`);
      await tx.run(raw(text));
    });
    expect(await db.rows(sql`select fld5, fld6 from ${db.t.subscriber} order by fld1`)).toEqual([
      { fld5: null, fld6: null },
      { fld5: null, fld6: 'shop' },
      { fld5: 'fair', fld6: null },
      { fld5: null, fld6: 'shop' },
    ]);
  } finally {
    await close();
  }
});
