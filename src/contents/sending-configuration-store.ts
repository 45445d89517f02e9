import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { checkPageSize } from '../platform/http/page-size.ts';
import { notFound } from '../platform/http/refusal.ts';
import type { ListLocation } from './directory.ts';
import { isFavouriteOf } from './favourite-store.ts';
import { standsIn } from './object-directory-store.ts';
import type { SendingConfiguration, SendingConfigurationValues } from './sending-configuration.ts';

/** The columns of the values that callers decide. */
const columnOf: Readonly<Record<keyof SendingConfigurationValues, string>> = {
  name: 'name',
  senderEMail: 'sender_email',
  senderAlias: 'sender_alias',
  recipientAlias: 'recipient_alias',
  responseEMail: 'response_email',
  responseAlias: 'response_alias',
  headerHtml: 'header_html',
  headerTxt: 'header_txt',
  footerHtml: 'footer_html',
  footerTxt: 'footer_txt',
  unsubHtml: 'unsub_html',
  unsubTxt: 'unsub_txt',
  objectPrefixBAT: 'object_prefix_bat',
  senderAliasPrefixBAT: 'sender_alias_prefix_bat',
  deleteEmailsAfter: 'delete_emails_after',
  pageLanguage: 'page_language',
  pageColor: 'page_color',
  pageLogo: 'page_logo',
  isArchive: 'is_archive',
};
// Object.keys loses the names that the type knows.
const names = Object.keys(columnOf) as (keyof SendingConfigurationValues)[];
const written = raw(Object.values(columnOf).join(', '));

const columns: Sql = sql`
  c.id, c.id_user as "idUser", c.author, c.created_at as "creationDate", c.updated_at as "lastModifiedDate",
  ${raw(names.map((name) => `c.${columnOf[name]} as "${name}"`).join(', '))}`;

export async function findConfiguration(db: SiteDb, id: number): Promise<SendingConfiguration | undefined> {
  return db.first<SendingConfiguration>(
    sql`select ${columns} from ${db.t.sending_configuration} c where c.id = ${id}`,
  );
}

/** The configuration of an id, archived or not. @throws 404 for an unknown one. */
export async function getConfiguration(db: SiteDb, id: number): Promise<SendingConfiguration> {
  const configuration = await findConfiguration(db, id);
  if (!configuration) throw notFound('Sending configuration');
  return configuration;
}

/** Gets a configuration and locks its row until the transaction ends. @throws 404 for an unknown one. */
export async function lockConfiguration(tx: SiteDb, id: number): Promise<SendingConfiguration> {
  const configuration = await tx.first<SendingConfiguration>(
    sql`select ${columns} from ${tx.t.sending_configuration} c where c.id = ${id} for update`,
  );
  if (!configuration) throw notFound('Sending configuration');
  return configuration;
}

/** The version of a configuration. @param isLocked whether its row stays locked until the transaction ends */
export async function versionOfConfiguration(
  db: SiteDb,
  id: number,
  isLocked: boolean,
): Promise<string | undefined> {
  const row = await db.first<{ version: string }>(sql`
    select xmin::text as version from ${db.t.sending_configuration} where id = ${id}
    ${isLocked ? sql`for update` : empty}`);
  return row?.version;
}

export async function insertConfiguration(
  db: SiteDb,
  values: SendingConfigurationValues,
  author: { readonly idUser: number; readonly userName: string },
  at: Date,
): Promise<SendingConfiguration> {
  return db.one<SendingConfiguration>(sql`
    insert into ${db.t.sending_configuration} as c
      (id_user, author, created_at, updated_at, ${written})
    values (${author.idUser}, ${author.userName}, ${at}, ${at}, ${join(valuesInOrder(values))})
    returning ${columns}`);
}

const valuesInOrder = (values: SendingConfigurationValues) => names.map((name) => values[name]);

/**
 * Changes a configuration. Its row is locked, so that no concurrent change is lost.
 * @throws 404 for an unknown one, and what `change` throws.
 */
export async function updateConfiguration(
  db: SiteDb,
  id: number,
  change: (before: SendingConfiguration) => SendingConfigurationValues,
  at: Date,
): Promise<SendingConfiguration> {
  return db.transaction(async (tx) => {
    const before = await lockConfiguration(tx, id);
    return tx.one<SendingConfiguration>(sql`
      update ${tx.t.sending_configuration} as c
      set (updated_at, ${written}) = (${at}, ${join(valuesInOrder(change(before)))})
      where c.id = ${id}
      returning ${columns}`);
  });
}

const sorts = {
  Name: sql`facteur.fold(c.name)`,
  Id: sql`c.id`,
  LastUpdate: sql`c.updated_at`,
  Author: sql`facteur.fold(c.author)`,
} as const;
export type ConfigurationSort = keyof typeof sorts;

export const configurationLocations = ['All', 'MyFavorites', 'MyCreated', 'Archives'] as const;

/** A filter, order and page of configurations. Omitted properties do not restrict. */
export interface ConfigurationFilter {
  /** Default: all that are not archived; with `id`, that one even if it is. */
  readonly location?: ListLocation<(typeof configurationLocations)[number]>;
  /** The user whose favourites and configurations are listed. */
  readonly idUser: number;
  /** Part of the name, ignoring case and accents. */
  readonly name?: string;
  readonly id?: number;
  readonly deleteEmailsAfter?: number;
  readonly sortBy: ConfigurationSort;
  readonly isDescending: boolean;
  readonly start: number;
  readonly limit: number;
}

export interface ListedConfiguration extends SendingConfiguration {
  readonly isFavourite: boolean;
}

/** One page of configurations, and their total number. @throws 413 for a page of very large parts */
export async function listConfigurations(
  db: SiteDb,
  filter: ConfigurationFilter,
): Promise<{ totalCount: number; items: ListedConfiguration[] }> {
  const condition = join(conditionsOf(db, filter), ' and ');
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) from ${db.t.sending_configuration} c where ${condition}`,
  );
  const direction = filter.isDescending ? sql`desc` : sql`asc`;
  const page = sql`
    from ${db.t.sending_configuration} c
    where ${condition}
    order by ${sorts[filter.sortBy]} ${direction}, c.id ${direction}
    limit ${filter.limit} offset ${filter.start}`;
  // Lengths are known without reading the parts.
  const { size } = await db.one<{ size: number }>(sql`
    select coalesce(sum(size), 0)::bigint as size
    from (select octet_length(c.header_html) + octet_length(c.header_txt) + octet_length(c.footer_html)
      + octet_length(c.footer_txt) + octet_length(c.unsub_html) + octet_length(c.unsub_txt) as size ${page}) p`);
  checkPageSize(size);
  const items = await db.rows<ListedConfiguration>(sql`
    select ${columns}, ${isFavouriteOf(db, filter.idUser, 'sending_configuration', sql`c.id`)} as "isFavourite"
    ${page}`);
  return { totalCount: count, items };
}

function conditionsOf(db: SiteDb, filter: ConfigurationFilter): Sql[] {
  const { location, idUser, name, id, deleteEmailsAfter } = filter;
  const named = location && 'name' in location ? location.name : undefined;
  const conditions: Sql[] = [];
  if (named === 'Archives') conditions.push(sql`c.is_archive`);
  else if (location !== undefined || id === undefined) conditions.push(sql`not c.is_archive`);
  if (named === 'MyCreated') conditions.push(sql`c.id_user = ${idUser}`);
  if (named === 'MyFavorites') conditions.push(isFavouriteOf(db, idUser, 'sending_configuration', sql`c.id`));
  if (location && 'idDirectory' in location)
    conditions.push(standsIn(db, location.idDirectory, 'sending_configuration', sql`c.id`));
  if (name) conditions.push(sql`strpos(facteur.fold(c.name), facteur.fold(${name})) > 0`);
  if (id !== undefined) conditions.push(sql`c.id = ${id}`);
  if (deleteEmailsAfter !== undefined) conditions.push(sql`c.delete_emails_after = ${deleteEmailsAfter}`);
  return conditions.length > 0 ? conditions : [sql`true`];
}
