/**
 * Reads and creations of subscribers a second over HTTP, beside bare Fastify routes that run one statement through pg
 * on the same table. Both in processes of their own, the same client, in turns, in one run, over 200,000 subscribers.
 *
 *   npx tsx bench/api.ts [seconds per round]
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type autocannon from 'autocannon';
import pg from 'pg';
import { pino } from 'pino';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { makeTemplate, templateName } from '../src/testing/template-database.ts';
import { type Course, compare, memoryOf, start } from './two-servers.ts';

const subscribers = 200_000;
const connections = 20;
const rounds = 3;
const seconds = Number(process.argv[2] ?? 4);
const token = 'bench_token_of_twenty_or_more';

let unique = 0;
const anyId = () => 1 + Math.floor(Math.random() * subscribers);
const newPerson = () => ({
  fields: [
    { idField: 1, value: `new${++unique}@example.org` },
    { idField: 101, value: 'Zoé' },
    { idField: 102, value: 12 },
    { idField: 103, value: '1990-05-17T00:00:00Z' },
  ],
});
const bodyOf = (size: number) => JSON.stringify(Array.from({ length: size }, newPerson));
const post = (path: string, size: number): autocannon.Request => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: bodyOf(size),
});
const read = (query: string): autocannon.Request => ({
  method: 'GET',
  path: `/v1/demo/subscribers?${query}`,
});

const courses: readonly Course[] = [
  {
    name: 'read one by id, all fields',
    size: 1,
    facteur: () => read(`filter.by=IdSubscriber&filter.values=${anyId()}`),
    bare: () => ({ method: 'GET', path: `/${anyId()}` }),
  },
  {
    name: 'read one by email, 3 fields',
    size: 1,
    facteur: () => read(`filter.by=Email&filter.values=p${anyId()}%40example.com&filter.idFields=1,7,101`),
    bare: () => ({ method: 'GET', path: `/${anyId()}` }),
  },
  {
    name: 'create one',
    size: 1,
    facteur: () => post('/v1/demo/subscribers', 1),
    bare: () => post('/', 1),
  },
  {
    name: 'create 500 a call',
    size: 500,
    facteur: () => post('/v1/demo/subscribers', 500),
    bare: () => post('/', 500),
  },
];

const dataDir = await mkdtemp(join(tmpdir(), 'facteur-bench-'));
const postgres = await startPostgres({ dataDir, log: pino({ level: 'silent' }) });
const children: ChildProcess[] = [];
try {
  await makeTemplate(postgres.connection as pg.ClientConfig);
  const connection = { ...postgres.connection, database: templateName };
  await fill(connection as pg.ClientConfig);
  const installation = { connection, dataDir, token, children };
  const facteur = await start('facteur', installation);
  const bare = await start('bare', installation);
  console.log(
    `${subscribers} subscribers, ${connections} connections, ${rounds} rounds of ${seconds} s each, medians`,
  );
  for (const course of courses) await compare(course, facteur, bare, { connections, rounds, seconds });
  console.log(`memory: facteur ${await memoryOf(facteur)} MB, bare ${await memoryOf(bare)} MB`);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** 200,000 subscribers with a field of each common type, and a token that may write. */
async function fill(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`
    insert into facteur.app_user (name, email, created_at) values ('Bench', 'bench@example.com', now());
    insert into facteur.token (id_user, hash, role, all_sites, created_at)
      values (1, sha256('${token}'), 'editor', true, now());
    insert into site_demo.field (id, name, field_type, length) values
      (101, 'Name', 'Text', 80), (102, 'Points', 'Integer', null), (103, 'Born', 'Date', null);
    alter table site_demo.subscriber add fld101 text, add fld102 bigint, add fld103 timestamptz;
    insert into site_demo.subscriber (fld1, fld2, fld3, fld5, fld6, fld40, fld101, fld102, fld103)
      select 'p' || n || '@example.com', now(), now(), 'fair', 'site', '75001', 'Name ' || n, n, now()
      from generate_series(1, ${subscribers}) n;
    analyze site_demo.subscriber;`);
  await client.end();
}
