import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { currentHold } from '../installation/installation-store.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { sql } from '../platform/db/sql.ts';
import { startPostgres } from '../platform/postgres/embedded.ts';
import {
  type MadeSending,
  makeSending,
  type SendingResult,
  sendingFinished,
  sendingResult,
} from './make-sending.ts';
import { childrenOf } from './programs.ts';
import { addRelay } from './sending-tester.ts';
import { smtpSink } from './smtp-sink.ts';
import { makeTemplate, templateName } from './template-database.ts';
import { until } from './until.ts';
import { isAlone } from './until-waiting.ts';
import { WorkerProcess } from './worker-process.ts';

export interface CrashPlan {
  readonly recipients: number;
  readonly connections: number;
  /** How often a worker is killed with -9, spread over the sending. */
  readonly kills: number;
  /** How often all processes of PostgreSQL are killed with -9. */
  readonly postgresKills: number;
  /** Milliseconds that the sink takes for a message: makes time for the kills. */
  readonly sinkDelayMs?: number;
  readonly log?: (line: string) => void;
}

/** The outcome of a run. */
export interface CrashReport {
  readonly result: SendingResult;
  /** Messages that the sink took. */
  readonly taken: number;
  /** Addresses that it took more than one message for. */
  readonly twice: number;
  /** Recipients accepted by the record whose message never came. */
  readonly lost: number;
  /** Messages that came for a recipient who is neither accepted nor uncertain. */
  readonly unexplained: number;
  /** Intents without an outcome right after each kill of a worker. */
  readonly openAtKills: readonly number[];
  /** Why sending was held: a false alarm, if it ever was. */
  readonly held: string | undefined;
  readonly seconds: number;
}

/**
 * Sends a job to a real sink while worker processes, and PostgreSQL, are killed again and again; the next worker
 * starts immediately. PostgreSQL is a server of this run's own.
 */
export async function crashRun(plan: CrashPlan): Promise<CrashReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-crash-'));
  const log = pino({ level: 'silent' });
  const postgres = await startPostgres({ dataDir, log });
  const server = postgres.connection as pg.ClientConfig;
  await makeTemplate(server);
  const connection = { ...server, database: templateName };
  const open = () => openDatabase({ ...connection, max: 5 }, () => undefined);
  let database = open();
  let db = (await siteFinder(database).site('demo'))!;
  const sink = await smtpSink({ delayMs: plan.sinkDelayMs ?? 0 });
  const workers: WorkerProcess[] = [];
  try {
    await addRelay(db, sink.port, { maxConnections: plan.connections });
    const made = await makeSending(db, { recipients: plan.recipients, rangeSize: 200 });
    await database.run(sql`insert into facteur.installation (secret_check) values ('')`);
    const secret = randomBytes(32).toString('hex');
    const begin = async () => {
      const worker = new WorkerProcess({ connection, secret, dataDir, leaseS: 1, pollMs: 100 });
      workers.push(worker);
      await worker.ready();
      return worker;
    };
    const start = performance.now();
    const openAtKills: number[] = [];
    const openEver = new Set<number>();
    let worker = await begin();
    const blows = blowsOf(plan);
    for (const [index, blow] of blows.entries()) {
      const mark = Math.floor((plan.recipients * (index + 1)) / (blows.length + 1));
      await until(() => sink.messages.length >= mark, `${mark} messages`, 120_000);
      plan.log?.(`${sink.messages.length} taken: killing ${blow}`);
      if (blow === 'postgres') {
        await killPostgres(dataDir);
        await startPostgres({ dataDir, log });
        // Our own connections are dead as well: forgotten, not found out one by one.
        await database.pool.end().catch(() => undefined);
        database = open();
        db = (await siteFinder(database).site('demo'))!;
      } else {
        await worker.end('SIGKILL');
        // A recipient may still be open from the previous kill: it counts there.
        const fresh = (await openIntents(db)).filter((recipient) => !openEver.has(recipient));
        for (const recipient of fresh) openEver.add(recipient);
        openAtKills.push(fresh.length);
        worker = await begin();
      }
    }
    await sendingFinished(db, made, 180_000);
    const seconds = (performance.now() - start) / 1000;
    await worker.end('SIGTERM');
    const held = (await currentHold(database))?.why;
    return { ...(await compare(db, made, sink.messages)), openAtKills, held, seconds };
  } finally {
    for (const worker of workers) await worker.end('SIGKILL');
    await sink.close();
    await database.pool.end();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Kills of workers with those of PostgreSQL spread between them. */
function blowsOf({ kills, postgresKills }: CrashPlan): ('worker' | 'postgres')[] {
  const blows = Array.from({ length: kills }, (): 'worker' | 'postgres' => 'worker');
  for (let i = postgresKills; i > 0; i--)
    blows.splice(Math.floor((kills * i) / (postgresKills + 1)), 0, 'postgres');
  return blows;
}

/** Ends the postmaster and all of its children at once, as a power cut would. */
async function killPostgres(dataDir: string): Promise<void> {
  const postmaster = Number(
    readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  const pids = [postmaster, ...childrenOf(postmaster)];
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It had already ended.
    }
  }
  // A signal is on its way for a moment: until they no longer exist, the next start would take the server for a live
  // one.
  await until(() => !pids.some(isAlive), 'the end of PostgreSQL');
}

/** Whether a process runs; one that only waits for its parent to read its end does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Recipients of all ranges with an intent and no outcome, after the killed worker's last statement has ended:
 * PostgreSQL finishes it without its client.
 */
async function openIntents(db: SiteDb): Promise<number[]> {
  await until(() => isAlone(db), 'the end of the statements of a killed worker');
  return db.values<number>(sql`
    with events as (
      select id_job, id as log, 1 as kind, unnest(intents) as recipient from ${db.t.send_log}
      union all
      select id_job, id, 0, unnest(outcomes) from ${db.t.send_log}),
    last as (
      select distinct on (id_job, recipient) recipient, kind
      from events order by id_job, recipient, log desc, kind desc)
    select recipient from last where kind = 1`);
}

async function compare(
  db: SiteDb,
  made: MadeSending,
  messages: readonly { readonly to: string }[],
): Promise<Omit<CrashReport, 'openAtKills' | 'held' | 'seconds'>> {
  const rows = await db.rows<{ email: string; state: number }>(sql`
    select s.fld1 as email, r.state from ${db.t.receipt} r join ${db.t.subscriber} s on s.fld0 = r.id_subscriber
    where r.id_sent = ${made.idSent}`);
  const states = new Map(rows.map((row) => [row.email, row.state]));
  const came = new Set(messages.map((message) => message.to));
  return {
    result: await sendingResult(db, made),
    taken: messages.length,
    twice: messages.length - came.size,
    lost: rows.filter((row) => row.state === 1 && !came.has(row.email)).length,
    unexplained: [...came].filter((email) => states.get(email) !== 1 && states.get(email) !== 4).length,
  };
}
