import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { pino } from 'pino';
import { findCaller } from '../accounts/caller-store.ts';
import { readConfig } from '../config.ts';
import type { App } from '../platform/app.ts';
import { type Connection, openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { sql } from '../platform/db/sql.ts';
import { makeServer } from '../platform/http/server.ts';
import { Secrets } from '../platform/secrets.ts';
import { targetsOperations } from '../targets/operations.ts';
import { loadPostcodeFile } from '../targets/places/postcode-file.ts';
import { tidyFilterFiles } from '../targets/tasks/tidy-filter-files.ts';
import type { TestApp } from './app.ts';
import { FixedClock } from './fixed-clock.ts';
import { peakMb } from './peak-memory.ts';
import { startProgram } from './programs.ts';

export type TargetCall = readonly ['GET' | 'POST' | 'PUT', string, object?];

/** What calls were answered, and the most memory that the process had, with its compiler. */
export interface TargetAnswers {
  readonly answers: readonly { readonly status: number; readonly error: string | null }[];
  readonly peakMb: number;
}

/** One piece of work of the targets slice. */
export type TargetWork =
  /** A call of an operation, with the header of its caller. */
  | {
      readonly call: readonly ['GET' | 'POST' | 'PUT', string];
      readonly token: string;
      readonly body?: object;
    }
  /** Calls one after the other, each made again while its file is being loaded; their answers are printed. */
  | { readonly calls: readonly TargetCall[]; readonly token: string }
  /** The task that tidies files of filters of one site. */
  | { readonly tidy: number }
  /** What `facteur postcodes load` does. */
  | { readonly postcodes: string };

interface Options {
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
  readonly now: string;
  readonly work: TargetWork;
}

const optionsOf = ({ connection, dataDir, clock }: TestApp, work: TargetWork): Options => ({
  connection,
  dataDir,
  now: clock.now().toISOString(),
  work,
});

/** Starts such work in a process of its own, beside the program of a test, that can be killed. */
export function startTargetWork(t: TestApp, work: TargetWork): ChildProcess {
  return startProgram('target-process.ts', optionsOf(t, work), ['ignore', 'ignore', 'inherit']);
}

/** Makes calls in a process of its own, with the compiler of the sources in it, to see what memory they take. */
export async function callApart(
  t: TestApp,
  token: string,
  calls: readonly TargetCall[],
): Promise<TargetAnswers> {
  const options = JSON.stringify(optionsOf(t, { calls, token }));
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(said) as TargetAnswers;
}

/** Kills it with -9 and waits until it no longer exists. @throws Error when it had ended by itself. */
export async function killWork(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error('The work was done before it could be killed');
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Whether a session of this database has put lines into a table by COPY and continues; its table no one else sees. */
export async function isCopying(control: Connection): Promise<boolean> {
  const found = await control.rows(sql`
    select from pg_stat_progress_copy
    where datname = current_database() and command = 'COPY FROM' and tuples_processed > 0`);
  return found.length > 0;
}

/** Whether no one else is at work in this database: PostgreSQL notices late that a client was killed. */
export async function isAlone(control: Connection): Promise<boolean> {
  const others = await control.rows(sql`
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and state <> 'idle'`);
  return others.length === 0;
}

async function run({ connection, dataDir, now, work }: Options): Promise<void> {
  const control = openDatabase(connection, () => undefined);
  const app: App = {
    config: readConfig({ FACTEUR_DATA_DIR: dataDir }),
    control,
    clock: new FixedClock(now),
    log: pino({ level: 'fatal' }),
    secrets: new Secrets(Buffer.alloc(32)),
    publicUrl: 'http://target.test',
    ...siteFinder(control),
  };
  if ('tidy' in work) await tidyFilterFiles.run(app, { idSite: work.tidy }, new AbortController().signal);
  else if ('postcodes' in work) await loadPostcodeFile(control, work.postcodes, app.clock.now());
  else if ('calls' in work) process.stdout.write(JSON.stringify(await callAll(app, work)));
  else await call(app, work);
  await control.pool.end();
}

const serverOf = (app: App) =>
  makeServer({
    app,
    operations: targetsOperations,
    findCaller: (text, siteName) => findCaller(app.control, text, siteName, app.clock.now()),
    checkReplies: true,
  });

async function call(app: App, { call: [method, url], token, body }: Extract<TargetWork, { call: unknown }>) {
  const server = serverOf(app);
  await server.inject({ method, url, headers: { authorization: token }, ...(body && { payload: body }) });
  await server.close();
}

async function callAll(app: App, { calls, token }: Extract<TargetWork, { calls: unknown }>) {
  const server = serverOf(app);
  const headers = { authorization: token };
  const answers: { status: number; error: string | null }[] = [];
  for (const [method, url, body] of calls) {
    const once = () => server.inject({ method, url, headers, ...(body && { payload: body }) });
    let answer = await once();
    while (answer.headers['x-error-code'] === 'loading') answer = await once();
    answers.push({ status: answer.statusCode, error: answer.json<{ error: string | null }>().error });
  }
  await server.close();
  return { answers, peakMb: peakMb() };
}

// Tests import the rest.
if (process.argv[2]?.startsWith('{')) await run(JSON.parse(process.argv[2]) as Options);
