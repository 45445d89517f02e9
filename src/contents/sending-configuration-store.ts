import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { checkPageSize } from '../platform/http/page-size.ts';
import { type PageRange, Type } from '../platform/http/schema.ts';
import { isFavouriteOf } from './favourite-store.ts';
import { directoryNamesOf, isListedAt, type Located } from './object-directory-store.ts';
import { RecordStore } from './record-store.ts';
import {
  type SendingConfiguration,
  SendingConfigurationReply,
  type SendingConfigurationValues,
} from './sending-configuration.ts';

export const configurations = new RecordStore<SendingConfiguration>(
  'sending_configuration',
  'Sending configuration',
  { ...SendingConfigurationReply.properties, author: Type.String() },
  {
    creationDate: 'created_at',
    lastModifiedDate: 'updated_at',
    senderEMail: 'sender_email',
    responseEMail: 'response_email',
    objectPrefixBAT: 'object_prefix_bat',
    senderAliasPrefixBAT: 'sender_alias_prefix_bat',
  },
);

export const sortedConfiguration = {
  kind: 'sending_configuration',
  name: 'SendingConfiguration',
  noun: 'a sending configuration',
  path: '/sending-configurations',
  param: 'idConfig',
  record: 'configuration',
  lock: (tx: SiteDb, id: number) => configurations.lock(tx, id),
} as const;

/** The version of a configuration. */
export const versionOfConfiguration = (db: SiteDb, id: number, isLocked: boolean) =>
  db.version(sql`from ${db.t.sending_configuration} where id = ${id}`, isLocked);

export async function insertConfiguration(
  db: SiteDb,
  values: SendingConfigurationValues,
  { idUser, userName: author }: { readonly idUser: number; readonly userName: string },
  at: Date,
): Promise<SendingConfiguration> {
  return configurations.insert(db, { ...values, idUser, author, creationDate: at, lastModifiedDate: at });
}

/** Changes a configuration, its row locked. @throws 404 for an unknown one, and what `change` throws */
export async function updateConfiguration(
  db: SiteDb,
  id: number,
  change: (before: SendingConfiguration) => SendingConfigurationValues,
  at: Date,
): Promise<SendingConfiguration> {
  return db.transaction(async (tx) => {
    const values = change(await configurations.lock(tx, id));
    return configurations.update(tx, id, { ...values, lastModifiedDate: at });
  });
}

const sorts = {
  Name: sql`facteur.fold(c.name)`,
  Id: sql`c.id`,
  LastUpdate: sql`c.updated_at`,
  Author: sql`facteur.fold(c.author)`,
} as const;

export const configurationLocations = ['All', 'MyFavorites', 'MyCreated', 'Archives'] as const;

/** A filter, order and page of configurations. Omitted properties, 0 and '' do not restrict. */
interface ConfigurationFilter extends Located<string>, PageRange<keyof typeof sorts> {
  /** Part of the name, ignoring case and accents. */
  readonly name?: string | undefined;
  /** Without a location, it is found even if it is archived. */
  readonly id?: number | undefined;
  readonly deleteEmailsAfter?: number | undefined;
}

export interface ListedConfiguration extends SendingConfiguration {
  readonly isFavourite: boolean;
  /** The names of its directories, joined. */
  readonly directories: string;
}

/** One page of configurations, and their total number. @throws 413 for a page of very large parts */
export async function listConfigurations(
  db: SiteDb,
  filter: ConfigurationFilter,
): Promise<{ totalCount: number; items: ListedConfiguration[] }> {
  const condition = join(conditionsOf(db, filter), ' and ');
  const count = await db.value<number>(
    sql`select count(*) from ${db.t.sending_configuration} c where ${condition}`,
  );
  const direction = filter.isDescending ? sql`desc` : sql`asc`;
  const page = sql`
    from ${db.t.sending_configuration} c
    where ${condition}
    order by ${sorts[filter.sortBy]} ${direction}, c.id ${direction}
    limit ${filter.limit} offset ${filter.start}`;
  // Lengths are known without reading the parts.
  const size = await db.value<number>(sql`
    select coalesce(sum(size), 0)::bigint as size
    from (select octet_length(c.header_html) + octet_length(c.header_txt) + octet_length(c.footer_html)
      + octet_length(c.footer_txt) + octet_length(c.unsub_html) + octet_length(c.unsub_txt) as size ${page}) p`);
  checkPageSize(size);
  const isFavourite = isFavouriteOf(db, filter.idUser, 'sending_configuration', sql`c.id`);
  const directories = directoryNamesOf(db, 'sending_configuration', sql`c.id`);
  const items = await db.rows<ListedConfiguration>(sql`
    select ${configurations.columns}, ${isFavourite} as "isFavourite", ${directories} as directories ${page}`);
  return { totalCount: count, items };
}

function conditionsOf(db: SiteDb, filter: ConfigurationFilter): Sql[] {
  const { location, name, id, deleteEmailsAfter } = filter;
  const conditions = [sql`true`];
  if (location || !id)
    conditions.push(isListedAt(db, filter, 'sending_configuration', sql`c`, sql`c.is_archive`));
  if (name) conditions.push(sql`strpos(facteur.fold(c.name), facteur.fold(${name})) > 0`);
  if (id) conditions.push(sql`c.id = ${id}`);
  if (deleteEmailsAfter) conditions.push(sql`c.delete_emails_after = ${deleteEmailsAfter}`);
  return conditions;
}
