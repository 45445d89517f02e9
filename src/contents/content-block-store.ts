import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { found } from '../platform/http/refusal.ts';
import type { ContentBlock, ListedContentBlock } from './content-block.ts';
import { KeyList } from './key-list-store.ts';
import { type BlocksByKey, blockKeysOf } from './place-blocks.ts';
import { foldKey } from './tag-parser.ts';

export async function findContentBlock(db: SiteDb, key: string): Promise<ContentBlock | undefined> {
  return db.first<ContentBlock>(sql`
    select key as "contentKey", value as "contentValue" from ${db.t.content_block} where folded_key = ${foldKey(key)}`);
}

/** The date of the last change of a content block. @throws 404 */
export async function dateOfContentBlock(db: SiteDb, key: string): Promise<Date> {
  const row = await db.first<{ at: Date }>(sql`
    select updated_at as at from ${db.t.content_block} where folded_key = ${foldKey(key)}`);
  return found(row, 'Content block', 'contentKey').at;
}

/** Creates or replaces the content block of a key. */
export async function keepContentBlock(
  db: SiteDb,
  { contentKey, contentValue }: ContentBlock,
  at: Date,
): Promise<ContentBlock> {
  return db.one<ContentBlock>(sql`
    insert into ${db.t.content_block} (folded_key, key, value, created_at, updated_at)
    values (${foldKey(contentKey)}, ${contentKey}, ${contentValue}, ${at}, ${at})
    on conflict (folded_key) do update set value = excluded.value, updated_at = excluded.updated_at
    returning key as "contentKey", value as "contentValue"`);
}

/** Deletes the content block of a key. @throws 404 */
export async function deleteContentBlockRow(db: SiteDb, key: string): Promise<void> {
  const row = await db.first<object>(sql`
    delete from ${db.t.content_block} where folded_key = ${foldKey(key)} returning key`);
  found(row, 'Content block', 'contentKey');
}

/** Maximum number of reads: one more than the nesting limit of placer.ts; deeper blocks are refused unread. */
const maxReads = 5;

/** Reads the content blocks that sources name, and those that these blocks name. */
export async function blocksIn(db: SiteDb, sources: readonly string[]): Promise<BlocksByKey> {
  const read = new Map<string, { key: string; value: string }>();
  const asked = new Set<string>();
  let keys = [...new Set(sources.flatMap(blockKeysOf))];
  for (let reads = 0; keys.length > 0 && reads < maxReads; reads += 1) {
    for (const key of keys) asked.add(key);
    const rows = await db.rows<{ folded: string; key: string; value: string }>(sql`
      select folded_key as folded, key, value from ${db.t.content_block}
      where folded_key = any(${keys}::text[])`);
    for (const { folded, key, value } of rows) read.set(folded, { key, value });
    keys = [...new Set(rows.flatMap(({ value }) => blockKeysOf(value)))].filter((key) => !asked.has(key));
  }
  return read;
}

/** The version of a content block. With `isLocked`, nobody else can change or create it until the transaction ends. */
export async function versionOfContentBlock(
  db: SiteDb,
  key: string,
  isLocked: boolean,
): Promise<string | undefined> {
  const row = sql`from ${db.t.content_block} where folded_key = ${foldKey(key)}`;
  const version = await db.version(row, isLocked);
  if (version !== undefined || !isLocked) return version;
  // There is no row to lock, and another transaction may be creating it. Only writers of blocks wait, no readers.
  await db.run(sql`lock table ${db.t.content_block} in share row exclusive mode`);
  return db.version(row, true);
}

/** The list of content blocks. The length of a text is stored beside it, which is not read. */
export const contentBlockList = new KeyList<
  ListedContentBlock,
  'Name' | 'Size' | 'CreationDate' | 'UpdateDate'
>(
  'content_block',
  sql`key as "contentKey", octet_length(value) as size, created_at as "creationDate", updated_at as "updateDate"`,
  {
    Name: sql`facteur.fold(key)`,
    Size: sql`octet_length(value)`,
    CreationDate: sql`created_at`,
    UpdateDate: sql`updated_at`,
  },
);
