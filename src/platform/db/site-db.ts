import type pg from 'pg';
import { Connection, type Database, type Isolation, inTransaction } from './database.ts';
import { siteTableNames } from './site-tables.ts';
import { empty, identifier, type Sql, sql } from './sql.ts';

/** One customer database, as its row in the control table `site` says. */
export interface Site {
  readonly id: number;
  /** The document's `idsite`. */
  readonly name: string;
  /** PostgreSQL schema of the site, `site_<name>`; read from the table of sites, never made from a request. */
  readonly schema: string;
}

export type SiteTable = (typeof siteTableNames)[number];
/** Qualified names of one site's tables, for use inside sql`…`. */
export type SiteTables = Readonly<Record<SiteTable, Sql>>;

/** Runs the work of a transaction, with more before and after it. */
export type Guard = <T>(tx: SiteDb, work: () => Promise<T>) => Promise<T>;

/** Runs statements on one site and names its tables (`db.t.subscriber`), qualified: no other site can be reached. */
export class SiteDb extends Connection {
  readonly site: Site;
  readonly t: SiteTables;
  readonly #database: Database;
  readonly #client: pg.PoolClient | undefined;
  readonly #guard: Guard | undefined;

  constructor(database: Database, site: Site, client?: pg.PoolClient, guard?: Guard) {
    super(client ?? database.pool);
    this.#database = database;
    this.#client = client;
    this.#guard = guard;
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
      inTransaction(
        client,
        () => this.#guarded(new SiteDb(this.#database, this.site, client), work),
        isolation,
      ),
    );
  }

  /** This handle, each of whose transactions runs inside `guard`. */
  guardedBy(guard: Guard): SiteDb {
    return new SiteDb(this.#database, this.site, this.#client, guard);
  }

  #guarded<T>(tx: SiteDb, work: (tx: SiteDb) => Promise<T>): Promise<T> {
    return this.#guard ? this.#guard(tx, () => work(tx)) : work(tx);
  }

  /** Runs `work` on one connection, which keeps temporary tables and session locks between its transactions. */
  async session<T>(work: (session: SiteSession) => Promise<T>): Promise<T> {
    return this.#database.withSession((client) => {
      const db = new SiteDb(this.#database, this.site, client);
      return work({ db, transaction: (inside) => inTransaction(client, () => inside(db)) });
    });
  }

  /** The version of a row, `from … where …`: another text after each update. It locks the row if `isLocked`. */
  async version(row: Sql, isLocked: boolean): Promise<string | undefined> {
    return (
      await this.values<string>(sql`select xmin::text ${row} ${isLocked ? sql`for no key update` : empty}`)
    )[0];
  }

  /** The connection itself, for COPY and cursors; the open transaction's one inside a transaction. */
  async withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#client ? work(this.#client) : this.#database.withClient(work);
  }
}

/** One connection to a site. */
export interface SiteSession {
  /** For statements that are each a transaction of their own. */
  readonly db: SiteDb;
  /** Like `SiteDb.transaction`, on this connection. */
  transaction<T>(work: (tx: SiteDb) => Promise<T>): Promise<T>;
}

const tablesBySchema = new Map<string, SiteTables>();

function tablesOf(schema: string): SiteTables {
  const known = tablesBySchema.get(schema);
  if (known) return known;
  const tables = Object.fromEntries(siteTableNames.map((name) => [name, identifier(schema, name)]));
  tablesBySchema.set(schema, tables as SiteTables);
  return tables as SiteTables;
}
