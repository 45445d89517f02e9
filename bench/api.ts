/**
 * Reads and creations of subscribers a second over HTTP, beside bare Fastify routes that run one statement through pg
 * on the same table. Both in processes of their own, the same client, in turns, in one run, over 200,000 subscribers.
 *
 *   npx tsx bench/api.ts [seconds per round]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import autocannon from 'autocannon';
import pg from 'pg';
import { pino } from 'pino';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { makeTemplate, templateName } from '../src/testing/template-database.ts';

const subscribers = 200_000;
const connections = 20;
const rounds = 3;
const seconds = Number(process.argv[2] ?? 4);
const token = 'bench_token_of_twenty_or_more';

interface Server {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
  readonly url: string;
  readonly headers: Record<string, string>;
}

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** A thing to measure: the request of each server, made anew each time. */
interface Course {
  readonly name: string;
  /** Subscribers that one request is about. */
  readonly size: number;
  facteur(): autocannon.Request;
  bare(): autocannon.Request;
}

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
  const facteur = await start('facteur', connection);
  const bare = await start('bare', connection);
  console.log(
    `${subscribers} subscribers, ${connections} connections, ${rounds} rounds of ${seconds} s each, medians`,
  );
  for (const course of courses) {
    await load(facteur, () => course.facteur(), 1);
    await load(bare, () => course.bare(), 1);
    const ours: Round[] = [];
    const theirs: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      theirs.push(await load(bare, () => course.bare(), seconds));
      ours.push(await load(facteur, () => course.facteur(), seconds));
    }
    report(course, median(ours), median(theirs));
  }
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

async function start(kind: 'facteur' | 'bare', connection: pg.PoolConfig): Promise<Server> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'bench/api-server.ts', JSON.stringify({ kind, connection, dataDir })],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  children.push(child);
  const reader: Interface = createInterface({ input: child.stdout! });
  const lines = reader[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done) throw new Error(`The server ${kind} did not start`);
  const headers: Record<string, string> = kind === 'facteur' ? { authorization: `Bearer ${token}` } : {};
  return { child, lines, url: `http://127.0.0.1:${value}`, headers };
}

async function memoryOf({ child, lines }: Server): Promise<string> {
  child.stdin!.write('\n');
  return (await lines.next()).value;
}

async function load(server: Server, make: () => autocannon.Request, duration: number): Promise<Round> {
  const result = await autocannon({
    url: server.url,
    connections,
    duration,
    requests: [
      {
        setupRequest: (request) => {
          const made = make();
          return { ...request, ...made, headers: { ...request.headers, ...server.headers, ...made.headers } };
        },
      },
    ],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}

function median(all: readonly Round[]): Round {
  return [...all].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(all.length / 2)]!;
}

function report({ name, size }: Course, ours: Round, theirs: Round): void {
  const line = ({ perSecond, p50, p99, failed }: Round) =>
    `${Math.round(perSecond * size)} subscribers/s, p50 ${p50} ms, p99 ${p99} ms${failed ? `, ${failed} FAILED` : ''}`;
  console.log(`${name}\n  facteur ${line(ours)}\n  bare    ${line(theirs)}`);
  console.log(`  ratio   ${(ours.perSecond / theirs.perSecond).toFixed(2)}`);
  if (ours.failed + theirs.failed > 0) process.exitCode = 1;
}
