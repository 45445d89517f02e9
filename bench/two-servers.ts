import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import autocannon from 'autocannon';
import type pg from 'pg';

/** Where the two servers find their data. */
export interface Installation {
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
  /** What Facteur's requests carry. */
  readonly token: string;
  readonly children: ChildProcess[];
}

export interface Server {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
  readonly url: string;
  readonly headers: Record<string, string>;
}

export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** A thing to measure: the request of each server, made anew each time. */
export interface Course {
  readonly name: string;
  /** Subscribers that one request is about. */
  readonly size: number;
  facteur(): autocannon.Request;
  bare(): autocannon.Request;
}

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

/** Starts one of the two servers in a process of its own; `children` gets it, to be ended. */
export async function start(
  kind: 'facteur' | 'bare',
  { connection, dataDir, token, children }: Installation,
): Promise<Server> {
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

/** Resident memory of the server's process now, in MB. */
export async function memoryOf({ child, lines }: Server): Promise<number> {
  child.stdin!.write('\n');
  return Number((await lines.next()).value);
}

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
