import autocannon from 'autocannon';
import pg from 'pg';
import { startBenchDatabase } from './bench-database.ts';
import { ask, type Program, startProgram } from './programs.ts';

const token = 'bench_token_of_twenty_or_more';

export interface Server {
  readonly program: Program;
  readonly url: string;
  readonly headers: Record<string, string>;
}

export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** A thing to measure: the request of each server, rebuilt each time. */
export interface Course {
  readonly name: string;
  /** Subscribers that one request is about. */
  readonly size: number;
  facteur(): autocannon.Request;
  bare(): autocannon.Request;
}

/**
 * Starts both servers over the site `demo` of one database, which has a field of each common type and a token that may
 * write, and removes everything after the work.
 * @param fill creates the site's subscribers
 */
export async function withTwoServers(
  fill: (client: pg.Client) => Promise<void>,
  work: (facteur: Server, bare: Server) => Promise<void>,
): Promise<void> {
  const { connection, dataDir, close } = await startBenchDatabase();
  const programs: Program[] = [];
  const start = async (kind: 'facteur' | 'bare'): Promise<Server> => {
    const program = await startProgram('api-server.ts', JSON.stringify({ kind, connection, dataDir }));
    programs.push(program);
    const headers: Record<string, string> = kind === 'facteur' ? { authorization: `Bearer ${token}` } : {};
    return { program, url: `http://127.0.0.1:${program.port}`, headers };
  };
  try {
    const client = new pg.Client(connection);
    await client.connect();
    await client.query(`
      insert into facteur.app_user (name, email, created_at) values ('Bench', 'bench@example.com', now());
      insert into facteur.token (id_user, hash, role, all_sites, created_at)
        values (1, sha256('${token}'), 'editor', true, now());
      insert into site_demo.field (id, name, field_type, length) values
        (101, 'Name', 'Text', 80), (102, 'Points', 'Integer', null), (103, 'Born', 'Date', null);
      alter table site_demo.subscriber add fld101 text, add fld102 bigint, add fld103 timestamptz;`);
    await fill(client);
    await client.end();
    await work(await start('facteur'), await start('bare'));
  } finally {
    for (const { child } of programs) child.kill('SIGKILL');
    await close();
  }
}

let unique = 0;

/** Body of a creation of a new subscriber. */
export const newPerson = () => ({
  fields: [
    { idField: 1, value: `new${++unique}@example.org` },
    { idField: 101, value: 'Zoé' },
    { idField: 102, value: 12 },
    { idField: 103, value: '1990-05-17T00:00:00Z' },
  ],
});

export const send = (method: 'POST' | 'PUT', path: string, body: unknown): autocannon.Request => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Measures a course on both servers in turns, after a second for each to get warm, and prints it. */
export async function compare(
  course: Course,
  facteur: Server,
  bare: Server,
  { connections, rounds, seconds }: { connections: number; rounds: number; seconds: number },
): Promise<void> {
  await load(facteur, () => course.facteur(), connections, 1);
  await load(bare, () => course.bare(), connections, 1);
  const ours: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await load(bare, () => course.bare(), connections, seconds));
    ours.push(await load(facteur, () => course.facteur(), connections, seconds));
  }
  report(course, median(ours), median(theirs));
}

/** Resident memory of the server's process now, in MB. */
export const memoryOf = ({ program }: Server): Promise<number> => ask(program);

async function load(
  server: Server,
  make: () => autocannon.Request,
  connections: number,
  duration: number,
): Promise<Round> {
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
