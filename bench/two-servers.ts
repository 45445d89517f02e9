import type autocannon from 'autocannon';
import type pg from 'pg';
import { sql } from '../src/platform/db/sql.ts';
import { type BenchDatabase, startBenchDatabase } from './bench-database.ts';
import { callsOf, medianRound, type Round, shownRound } from './measure.ts';
import { ask, type Program, startProgram } from './programs.ts';

const token = 'bench_token_of_twenty_or_more';

export interface Server {
  readonly program: Program;
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** A thing to measure: the request of each server, rebuilt each time. */
export interface Course {
  readonly name: string;
  /** Subscribers that one request is about. */
  readonly size: number;
  facteur(): autocannon.Request;
  bare(): autocannon.Request;
}

type Place = Pick<BenchDatabase, 'connection' | 'control' | 'dataDir'>;

/** Starts the API over a database, with a token that may write and send. */
export async function startFacteur(place: Place): Promise<Server> {
  await place.control.run(sql`
    with bench as (
      insert into facteur.app_user (name, email, created_at) values ('Bench', 'bench@example.com', now())
      returning id)
    insert into facteur.token (id_user, hash, role, all_sites, created_at)
    select id, sha256(${token}), 'sender', true, now() from bench`);
  return startServer('facteur', place, { authorization: `Bearer ${token}` });
}

async function startServer(
  kind: 'facteur' | 'bare',
  { connection, dataDir }: Place,
  headers: Record<string, string> = {},
): Promise<Server> {
  const program = await startProgram('api-server.ts', JSON.stringify({ kind, connection, dataDir }));
  return { program, url: `http://127.0.0.1:${program.port}`, headers };
}

/** Starts both servers over one database, whose subscribers `fill` makes; removes everything after the work. */
export async function withTwoServers(
  fill: (client: pg.Client) => Promise<void>,
  work: (facteur: Server, bare: Server, client: pg.Client) => Promise<void>,
): Promise<void> {
  const database = await startBenchDatabase();
  const servers: Server[] = [];
  try {
    await database.client.query(`
      insert into field (id, name, field_type, length) values
        (101, 'Name', 'Text', 80), (102, 'Points', 'Integer', null), (103, 'Born', 'Date', null);
      alter table subscriber add fld101 text, add fld102 bigint, add fld103 timestamptz;`);
    await fill(database.client);
    servers.push(await startFacteur(database), await startServer('bare', database));
    await work(servers[0]!, servers[1]!, database.client);
  } finally {
    for (const { program } of servers) program.child.kill('SIGKILL');
    await database.close();
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
  const ofFacteur = (duration: number) => load(facteur, () => course.facteur(), connections, duration);
  const ofBare = (duration: number) => load(bare, () => course.bare(), connections, duration);
  await ofFacteur(1);
  await ofBare(1);
  const ours: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await ofBare(seconds));
    ours.push(await ofFacteur(seconds));
  }
  report(course, medianRound(ours), medianRound(theirs));
}

/** Resident memory of the server's process now, in MB. */
export const memoryOf = ({ program }: Server): Promise<number> => ask(program);

function load(server: Server, make: () => autocannon.Request, connections: number, duration: number) {
  const setupRequest = (request: autocannon.Request) => {
    const made = make();
    return { ...request, ...made, headers: { ...request.headers, ...server.headers, ...made.headers } };
  };
  return callsOf({ url: server.url, connections, duration, requests: [{ setupRequest }] }, '2xx');
}

function report({ name, size }: Course, ours: Round, theirs: Round): void {
  const line = (round: Round) => shownRound(round, 'subscribers', size);
  console.log(`${name}\n  facteur ${line(ours)}\n  bare    ${line(theirs)}`);
  console.log(`  ratio   ${(ours.perSecond / theirs.perSecond).toFixed(2)}`);
  if (ours.failed + theirs.failed > 0) process.exitCode = 1;
}
