import { afterAll, beforeAll, expect, it } from 'vitest';
import { campaignSorts, listCampaigns, showAll } from './campaigns/campaign-store.ts';
import { countCampaignsOf } from './campaigns/picture-uses.ts';
import { listFields } from './fields/field-store.ts';
import { importSortings, listImports } from './imports/import-list-store.ts';
import { listStoredPictures, pictureSorts } from './pictures/picture-store.ts';
import { sql } from './platform/db/sql.ts';
import { readTargetSet } from './targets/selection.ts';
import { pageOfSet } from './targets/subscriber-page.ts';
import { targetSorts } from './targets/target-list.ts';
import { listTargetRows } from './targets/target-list-store.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { makeTarget } from './testing/campaign-makers.ts';
import { scannedTables } from './testing/scanned-tables.ts';

/** A site of some years: what a page is sorted by is looked for in its own table, everything else by an index. */
const many = 5_000;
const people = 100_000;

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
  const { t: tables } = t.db;
  const someTag = await t.db.one<{ id: number }>(sql`
    insert into ${tables.directory} (name, dir_type) values ('Season', 'Campaign') returning id`);
  const statements = [
    sql`insert into ${tables.subscriber} (fld1) select i || '@example.org' from generate_series(1, ${people}::int) i`,
    sql`
      insert into ${tables.target} (id_user, author, name, created_at, updated_at)
      select 1, 'Ada', 'T' || i, now(), now() from generate_series(1, ${many}::int) i`,
    sql`
      insert into ${tables.target_filter} (id_target, kind, is_enabled, definition)
      select id, 'field', true, jsonb_build_object('filters', '[]'::jsonb, 'x', repeat('y', 99)) from ${tables.target}`,
    sql`
      insert into ${tables.campaign} (id_user, author, name, parameters, created_at, updated_at)
      select 1, 'Ada', 'C' || i, '{}', now(), now() from generate_series(1, ${many}::int) i`,
    sql`
      insert into ${tables.segment} (id_campaign, position, name, id_target, percent)
      select c.id, p, 'S', c.id, 10 from ${tables.campaign} c cross join generate_series(1, 3) p`,
    sql`
      insert into ${tables.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
      select c.id, 'https://a.example/' || p, '', 'campaign', '{}', now()
      from ${tables.campaign} c cross join generate_series(1, 3) p`,
    sql`
      insert into ${tables.picture_file} (sha256, key, type, width, height, size, content)
      select sha256(convert_to(i::text, 'UTF8')), left(md5(i::text), 22), 'png', 1, 1, 1, ''
      from generate_series(1, ${many}::int) i`,
    sql`
      insert into ${tables.picture} (id_user, author, name, file_name, created_at, updated_at, sha256)
      select 1, 'Ada', 'P' || i, 'p.png', now(), now(), sha256(convert_to(i::text, 'UTF8'))
      from generate_series(1, ${many}::int) i`,
    sql`
      insert into ${tables.object_directory} (kind, id_object, id_directory)
      select kind, id, ${someTag.id} from unnest(array['target', 'campaign', 'picture']) kind
      cross join generate_series(1, ${many}::int) id`,
    sql`
      insert into ${tables.import} (id_user, author, parameters, created_at, state, scheduling, scheduled_at)
      select 1, 'Ada', '{"filename": "a.csv"}', at, 'Completed', '{}', at
      from (select timestamptz '2026-11-19 12:00Z' - i * interval '1 hour' as at
            from generate_series(1, ${many}::int) i) i`,
    sql`
      insert into ${tables.import_log} (id_import, run, state, log, ended_at)
      select id, 1, 'Completed', '{}', scheduled_at from ${tables.import}`,
  ];
  for (const statement of statements) await t.db.run(statement);
  await t.db.run(sql`analyze`);
});
afterAll(() => t.close());

/** Tables that may be read whole, because they are small on every site. */
const small = new Set(['directory', 'field', 'merge_state']);
const scanned = async (work: Parameters<typeof scannedTables>[1]): Promise<string[]> =>
  (await scannedTables(t.db, work)).filter((name) => !small.has(name));
const page = { start: 40, limit: 20 };

it('a page of targets reads only the table of targets whole', async () => {
  for (const sortBy of targetSorts) {
    // Only this order looks at the tags of all targets.
    const own = sortBy === 'Directories' ? ['object_directory', 'target'] : ['target'];
    const read = await scanned((tx) =>
      listTargetRows(tx, { location: { name: 'All' }, idUser: 1, sortBy, isDescending: false, ...page }),
    );
    expect([sortBy, read.filter((name) => !own.includes(name))]).toEqual([sortBy, []]);
  }
});

it('a page of campaigns reads only the table of campaigns whole', async () => {
  for (const sortBy of campaignSorts) {
    const read = await scanned(async (tx) => {
      const found = await listCampaigns(tx, { isArchive: false, sortBy, isDescending: true, ...page });
      expect(found).toMatchObject({ totalCount: many, items: { length: page.limit } });
      await showAll(tx, found.items);
    });
    expect([sortBy, read.filter((name) => name !== 'campaign')]).toEqual([sortBy, []]);
  }
});

it('a page of pictures reads only the table of pictures whole', async () => {
  for (const sortBy of pictureSorts) {
    const read = await scanned((tx) =>
      listStoredPictures(tx, { idUser: 1, sortBy, isDescending: false, ...page }),
    );
    const own = sortBy === 'PictureSize' ? ['picture', 'picture_file'] : ['picture'];
    expect([sortBy, read.filter((name) => !own.includes(name))]).toEqual([sortBy, []]);
  }
});

it('the campaigns of a page of pictures are counted without reading campaigns', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(await scanned((tx) => countCampaignsOf(tx, ids))).toEqual([]);
});

it('a page of imports reads no logs of previous imports', async () => {
  const since = new Date('2026-11-05T10:00:00Z');
  for (const sortBy of importSortings) {
    const read = await scanned((tx) => listImports(tx, since, { sortBy, order: 'DESC', ...page }));
    expect([sortBy, read.filter((name) => name !== 'import')]).toEqual([sortBy, []]);
  }
});

it('a page of the subscribers of a target reads those that it selects', async () => {
  const ids = Array.from({ length: 50 }, (_, i) => 1 + i * 999);
  const [few, all] = [
    await makeTarget(t.db, { isSafe: false, ids }),
    await makeTarget(t.db, { isSafe: false }),
  ];
  const fields = await listFields(t.db);
  const scansOf = (idTarget: number, idField: number) =>
    scanned((tx) =>
      readTargetSet({ app: t.app, db: tx, idTarget, at: t.clock.now() }, async (inside, set) => {
        const sort = { field: fields.find(({ id }) => id === idField)!, direction: 'asc' } as const;
        expect(await pageOfSet(inside, { set, fields, sort, start: 20, limit: 20 })).toHaveLength(20);
      }),
    );
  expect(await scansOf(few, 0)).toEqual([]);
  expect(await scansOf(few, 1)).toEqual([]);
  expect(await scansOf(all, 0)).toEqual([]);
  // All subscribers in the order of a field without an index: the count shows it.
  expect(await scansOf(all, 1)).toEqual(['subscriber']);
});
