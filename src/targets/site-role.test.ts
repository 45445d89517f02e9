import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../platform/app.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { type RunningPostgres, startPostgres } from '../platform/postgres/embedded.ts';
import { Secrets } from '../platform/secrets.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { appOver } from '../testing/make-app.ts';
import { makeTemplate, templateName } from '../testing/template-database.ts';
import { asSiteReader } from './site-reader.ts';
import { siteRoleOf } from './site-role.ts';

/** A server that requests passwords, and whose database belongs to a user who is no superuser. */
let server: RunningPostgres;
let t: TestApp;
let dataDir: string;
let databases: Database[];
let root: pg.Client;
beforeAll(async () => {
  t = await testApp({ operations: [] });
  databases = [];
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-role-'));
  server = await startPostgres({
    dataDir,
    log: pino({ level: 'silent' }),
    settings: { fsync: 'off', log_statement: 'all' },
  });
  const { host } = server.connection;
  root = new pg.Client({ ...server.connection, database: 'postgres' });
  await root.connect();
  await root.query(`create role owner login createrole createdb`);
  const { rows } = await root.query<{ hba_file: string }>('show hba_file');
  writeFileSync(
    rows[0]!.hba_file,
    'local all facteur trust\nlocal all owner trust\nlocal all all scram-sha-256\n',
  );
  await root.query('select pg_reload_conf()');
  await makeTemplate({ host: host!, port: 5432, user: 'owner', database: 'postgres' });
});
afterAll(async () => {
  for (const database of databases) await database.pool.end();
  await root.end();
  await server.stop();
  await t.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The program as a user of that server's, by an address as DATABASE_URL has it. */
function appAs(user: string, secret = randomBytes(32)): App {
  const place = encodeURIComponent(server.connection.host!);
  const connectionString = `postgresql://${user}@${place}/${templateName}`;
  const control = openDatabase({ connectionString }, () => undefined);
  databases.push(control);
  return { ...appOver(t.app, control), secrets: new Secrets(secret) };
}

async function whoReads(app: App): Promise<string> {
  const db = (await app.site('demo'))!;
  const who = sql`select current_user::text as who from ${db.t.subscriber} right join (select) one on true`;
  return asSiteReader(app, db, {}, async (reader) => (await reader.one<{ who: string }>(who)).who);
}

it('signs in by a password that is in no log, made by a user who may make roles and is no superuser', async () => {
  const app = appAs('owner');
  const role = await siteRoleOf({ app, db: (await app.site('demo'))! });
  expect(await whoReads(app)).toBe(role.name);
  const said = readFileSync(join(server.connection.host!, '..', 'server.log'), 'utf8');
  expect(said).toContain(`create role "${role.name}"`);
  expect(said).not.toContain(role.password);
});

it('continues when the secret is another one', async () => {
  const [before, after] = [appAs('owner'), appAs('owner')];
  const name = await whoReads(before);
  expect(await whoReads(after)).toBe(name);
  expect(await whoReads(before)).toBe(name);
});

it('503 with the right that is missing, where the user of the database may not make roles', async () => {
  const { rows } = await root.query(`select from pg_roles where rolname like 'facteur_site_%'`);
  await root.query(`alter role owner nocreaterole`);
  const app = appAs('owner');
  const other = (await app.site('other'))!;
  await expect(asSiteReader(app, other, {}, async () => 1)).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    message: expect.stringContaining('CREATEROLE'),
  });
  const now = await root.query(`select from pg_roles where rolname like 'facteur_site_%'`);
  expect(now.rows).toHaveLength(rows.length);
  await root.query(`alter role owner createrole`);
  expect(await asSiteReader(app, other, {}, async () => 1)).toBe(1);
});

it('503 where the server refuses the role that runs them', async () => {
  const { rows } = await root.query<{ hba_file: string }>('show hba_file');
  const before = readFileSync(rows[0]!.hba_file, 'utf8');
  writeFileSync(rows[0]!.hba_file, 'local all facteur trust\nlocal all owner trust\n');
  await root.query('select pg_reload_conf()');
  await expect(whoReads(appAs('owner'))).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('refuses the role that runs them'),
  });
  appendFileSync(rows[0]!.hba_file, before);
  await root.query('select pg_reload_conf()');
});
