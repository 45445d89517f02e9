/**
 * Creations, updates and look-ups of subscribers a second over HTTP on a site of a million, beside bare Fastify routes
 * that run one statement through pg on the same table and indexes. Both in processes of their own, the same client, in
 * turns, in one run. The service must stay below 300 MB.
 *
 *   npx tsx bench/subscribers.ts [seconds per round] [subscribers]
 */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type autocannon from 'autocannon';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { pino } from 'pino';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { makeTemplate, templateName } from '../src/testing/template-database.ts';
import { type Course, compare, memoryOf, start } from './two-servers.ts';

const seconds = Number(process.argv[2] ?? 2);
const subscribers = Number(process.argv[3] ?? 1_000_000);
const connections = 20;
const rounds = 3;
const maxMemoryMb = 300;
const token = 'bench_token_of_twenty_or_more';

let unique = 0;
const anyId = () => 1 + Math.floor(Math.random() * subscribers);
const emailOf = (id: number) => `p${id}@example.com`;
const hashes = { MD5: 'md5', SHA1: 'sha1', SHA2_256: 'sha256', SHA2_512: 'sha512' } as const;
const created = () => ({
  fields: [
    { idField: 1, value: `new${++unique}@example.org` },
    { idField: 101, value: 'Zoé' },
    { idField: 102, value: 12 },
    { idField: 103, value: '1990-05-17T00:00:00Z' },
  ],
});
const changed = (id: number) => ({
  id,
  fields: [
    { idField: 101, value: `Name ${Math.random()}` },
    { idField: 102, value: Math.floor(Math.random() * 1_000_000) },
  ],
});
/** Ids that are all different: some of a stretch of the table, as a caller's page of changes has them. */
const stretch = (size: number) => {
  const first = 1 + Math.floor(Math.random() * (subscribers - 4 * size));
  return Array.from({ length: size }, (_, i) => first + 4 * i);
};
const send = (method: 'POST' | 'PUT', path: string, body: unknown): autocannon.Request => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const operation = '/v1/demo/subscribers';

const creations = (size: number): Course => ({
  name: `create ${size} a call`,
  size,
  facteur: () => send('POST', operation, Array.from({ length: size }, created)),
  bare: () => send('POST', '/', Array.from({ length: size }, created)),
});
const updates = (size: number): Course => ({
  name: `update ${size} a call`,
  size,
  facteur: () => send('PUT', operation, stretch(size).map(changed)),
  bare: () => send('PUT', '/', stretch(size).map(changed)),
});
const lookUp = (name: string, by: string, encoding: string, textOf: (id: number) => string): Course => ({
  name: `look up one by ${name}, all fields`,
  size: 1,
  facteur: () => ({
    method: 'GET',
    path: `${operation}?filter.by=${by}&filter.emailEncoding=${encoding}&filter.values=${encodeURIComponent(textOf(anyId()))}`,
  }),
  bare: () => ({ method: 'GET', path: `/by/${name}/${encodeURIComponent(textOf(anyId()))}` }),
});

const courses: readonly Course[] = [
  lookUp('id', 'IdSubscriber', 'None', String),
  lookUp('client', 'IdClient', 'None', String),
  lookUp('email', 'Email', 'None', emailOf),
  ...Object.entries(hashes).map(([encoding, hash]) =>
    lookUp(encoding, 'Email', encoding, (id) => createHash(hash).update(emailOf(id)).digest('hex')),
  ),
  updates(1),
  updates(500),
  creations(1),
  creations(500),
];

const dataDir = await mkdtemp(join(tmpdir(), 'facteur-bench-'));
const postgres = await startPostgres({ dataDir, log: pino({ level: 'silent' }) });
const children: ChildProcess[] = [];
try {
  await makeTemplate(postgres.connection as pg.ClientConfig);
  const connection = { ...postgres.connection, database: templateName };
  const began = performance.now();
  await fill(connection as pg.ClientConfig);
  console.log(`${subscribers} subscribers, filled in ${Math.round((performance.now() - began) / 1000)} s`);
  const installation = { connection, dataDir, token, children };
  const facteur = await start('facteur', installation);
  const bare = await start('bare', installation);
  console.log(`${connections} connections, ${rounds} rounds of ${seconds} s each, medians`);
  let most = 0;
  for (const course of courses) {
    await compare(course, facteur, bare, { connections, rounds, seconds });
    most = Math.max(most, await memoryOf(facteur));
  }
  console.log(`memory: facteur ${most} MB at the most, bare ${await memoryOf(bare)} MB`);
  if (most >= maxMemoryMb) {
    console.log(`FAILED: the service must stay below ${maxMemoryMb} MB`);
    process.exitCode = 1;
  }
} finally {
  for (const child of children) child.kill('SIGKILL');
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** The subscribers by COPY, with a field of each common type, and a token that may write. */
async function fill(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`
    insert into facteur.app_user (name, email, created_at) values ('Bench', 'bench@example.com', now());
    insert into facteur.token (id_user, hash, role, all_sites, created_at)
      values (1, sha256('${token}'), 'editor', true, now());
    insert into site_demo.field (id, name, field_type, length) values
      (101, 'Name', 'Text', 80), (102, 'Points', 'Integer', null), (103, 'Born', 'Date', null);
    alter table site_demo.subscriber add fld101 text, add fld102 bigint, add fld103 timestamptz;`);
  const columns = 'fld1, fld2, fld3, fld5, fld6, fld40, fld43, fld101, fld102, fld103';
  await pipeline(
    Readable.from(rowsOf()),
    client.query(copyFrom(`copy site_demo.subscriber (${columns}) from stdin`)),
  );
  await client.query('vacuum analyze site_demo.subscriber');
  await client.query('checkpoint');
  await client.end();
}

function* rowsOf(): Generator<string> {
  const at = '2026-11-20 10:00:00+00';
  for (let first = 1; first <= subscribers; first += 1000) {
    let text = '';
    for (let n = first; n < first + 1000 && n <= subscribers; n++)
      text += `${emailOf(n)}\t${at}\t${at}\tfair\tsite\t75001\t${n}\tName ${n}\t${n}\t${at}\n`;
    yield text;
  }
}
