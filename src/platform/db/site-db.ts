import type pg from 'pg';
import { Connection, type Database, type Isolation, inTransaction } from './database.ts';
import { identifier, type Sql } from './sql.ts';

/** One customer database, as its row in the control table `site` says. */
export interface Site {
  readonly id: number;
  /** The document's `idsite`. */
  readonly name: string;
  /** Its PostgreSQL schema, `site_<name>`; read from the table of sites, never made from a request. */
  readonly schema: string;
}

/** Every table of a site's schema; `schema.sql` shows them. */
export const siteTableNames = [
  'field',
  'field_version',
  'subscriber',
  'archived_subscriber',
  'directory',
  'object_directory',
  'favourite',
  'thematic',
  'sending_configuration',
  'target',
  'target_filter',
  'campaign',
  'segment',
  'tracked_link',
  'job',
  'sending',
  'sent',
  'recipient_range',
  'send_log',
  'receipt',
  'hit',
  'hit_source',
  'unsubscription',
  'bounce',
  'repository',
  'import',
] as const;

export type SiteTable = (typeof siteTableNames)[number];

/**
 * The handle that every store function of a slice takes: it runs statements and names the tables of one site
 * (`db.t.subscriber`), fully qualified, so no statement depends on a session's search path or reaches another site.
 */
export class SiteDb extends Connection {
  readonly site: Site;
  /** Qualified table names, for use inside sql`…`. */
  readonly t: Readonly<Record<SiteTable, Sql>>;
  readonly #database: Database;
  readonly #client: pg.PoolClient | undefined;

  constructor(database: Database, site: Site, client?: pg.PoolClient) {
    super(client ?? database.pool);
    this.#database = database;
    this.#client = client;
    this.site = site;
    this.t = tablesOf(site.schema);
  }

  /** A name of the site's schema that is made at run time (a staging table, a partition). */
  name(relation: string): Sql {
    return identifier(this.site.schema, relation);
  }

  /** Runs `work` in a transaction on this site; joins the one that is already open. */
  async transaction<T>(work: (tx: SiteDb) => Promise<T>, isolation?: Isolation): Promise<T> {
    if (this.#client) return work(this);
    return this.#database.withClient((client) =>
      inTransaction(client, () => work(new SiteDb(this.#database, this.site, client)), isolation),
    );
  }

  /** The connection itself, for COPY and cursors; the open transaction's one inside a transaction. */
  async withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#client ? work(this.#client) : this.#database.withClient(work);
  }
}

const tablesBySchema = new Map<string, Readonly<Record<SiteTable, Sql>>>();

function tablesOf(schema: string): Readonly<Record<SiteTable, Sql>> {
  const known = tablesBySchema.get(schema);
  if (known) return known;
  const tables = Object.fromEntries(siteTableNames.map((name) => [name, identifier(schema, name)]));
  tablesBySchema.set(schema, tables as Record<SiteTable, Sql>);
  return tables as Record<SiteTable, Sql>;
}
