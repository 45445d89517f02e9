import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { startPostgres } from '../platform/postgres/embedded.ts';
import { FacteurProcess } from './child-process.ts';
import { makeSending, type SendingResult, sendingFinished } from './make-sending.ts';
import { addRelay } from './sending-tester.ts';
import { smtpSink } from './smtp-sink.ts';
import { makeTemplate, templateName } from './template-database.ts';
import { until } from './until.ts';

/** The end of a program that received SIGTERM while its relay delayed its replies. */
export interface StopReport {
  readonly exitCode: number | null;
  readonly stopSeconds: number;
  readonly result: SendingResult;
}

/**
 * Sends a job by the whole program, ends the program by SIGTERM while all connections wait for replies to their final
 * dots, and lets the relay reply `replyAfterMs` later. A second program, started during the wait, sends the rest.
 */
export async function stopRun(replyAfterMs: number): Promise<StopReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-stop-'));
  const postgres = await startPostgres({ dataDir, log: pino({ level: 'silent' }) });
  const server = postgres.connection as pg.ClientConfig;
  await makeTemplate(server);
  const database = openDatabase({ ...server, database: templateName, max: 5 }, () => undefined);
  let reply = () => {};
  const answerAfter = new Promise<void>((resolve) => {
    reply = resolve;
  });
  const sink = await smtpSink({ answerAfter });
  const place = new URLSearchParams({ host: server.host!, port: String(server.port), user: server.user! });
  const environment = {
    DATABASE_URL: `postgresql:///${templateName}?${place}`,
    FACTEUR_DATA_DIR: join(dataDir, 'program'),
    FACTEUR_PORT: '0',
    FACTEUR_SFTP_PORT: '0',
    FACTEUR_SMTP_PORT: '0',
  };
  const programs: FacteurProcess[] = [];
  const start = async () => {
    const program = new FacteurProcess(['serve'], environment);
    programs.push(program);
    await program.started();
    return program;
  };
  try {
    const db = (await siteFinder(database).site('demo'))!;
    await addRelay(db, sink.port, { maxConnections: 4 });
    const made = await makeSending(db, { recipients: 40, rangeSize: 10 });
    const first = await start();
    await until(() => sink.messages.length === 4, 'all connections wait for replies');
    const before = performance.now();
    const ended = first.end('SIGTERM');
    await start();
    await sleep(Math.max(0, replyAfterMs - (performance.now() - before)));
    reply();
    const { code: exitCode } = await ended;
    const stopSeconds = (performance.now() - before) / 1_000;
    return { exitCode, stopSeconds, result: await sendingFinished(db, made) };
  } finally {
    reply();
    for (const program of programs) await program.end('SIGTERM');
    await sink.close();
    await database.pool.end();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
