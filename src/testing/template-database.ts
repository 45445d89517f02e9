import pg from 'pg';
import { inTransaction, openDatabase } from '../platform/db/database.ts';
import { migrate, migrateSite } from '../platform/db/migrate.ts';

export const templateName = 'facteur_template';

/** The sites that every test database holds; `other` is there to be kept out of. */
export const testSites = ['demo', 'other'] as const;

/** Makes the template database that test files clone: migrated, with two empty sites. */
export async function makeTemplate(server: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`create database ${templateName}`);
  await client.end();

  const database = openDatabase({ ...server, database: templateName, max: 2 }, () => undefined);
  await migrate(database);
  for (const name of testSites) {
    await database.withClient((session) =>
      inTransaction(session, async () => {
        const made = await session.query<{ id: number }>(
          `insert into facteur.site (name, schema_name, created_at) values ($1, $2, now()) returning id`,
          [name, `site_${name}`],
        );
        await migrateSite(session, { id: made.rows[0]!.id, name, schema: `site_${name}` });
      }),
    );
  }
  await database.pool.end();
}
