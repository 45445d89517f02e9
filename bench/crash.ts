import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FacteurProcess } from '../src/testing/child-process.ts';
import { crashRun } from '../src/testing/crash-run.ts';
import { makeSending, type SendingResult, sendingFinished } from '../src/testing/make-sending.ts';
import { addRelay } from '../src/testing/sending-tester.ts';
import { smtpSink } from '../src/testing/smtp-sink.ts';
import { until } from '../src/testing/until.ts';
import { startBenchDatabase } from './bench-database.ts';

/**
 * Kills the sender with -9 again and again while it sends, and PostgreSQL five times, and reports the outcome of every
 * recipient. `npm run crash -- [recipients] [kills] [connections] [sink delay in ms]`; fails if a recipient is lost or
 * emailed twice, or if more are uncertain than were in flight at the kills. Then it ends the whole program by SIGTERM,
 * with replies that come 50 s later: real seconds, because no clock can be moved for leases, slots and processes alike.
 */

/**
 * Sends a job by the whole program, ends the program by SIGTERM while all connections wait for replies to their final
 * dots, and lets the relay reply `replyAfterMs` later. A second program, started during the wait, sends the rest.
 */
async function stopRun(
  replyAfterMs: number,
): Promise<{ exitCode: number | null; stopSeconds: number; result: SendingResult }> {
  const { connection, db, dataDir, close } = await startBenchDatabase();
  let reply = () => {};
  const answerAfter = new Promise<void>((resolve) => {
    reply = resolve;
  });
  const sink = await smtpSink({ answerAfter });
  const { host, port, user, database } = connection;
  const place = new URLSearchParams({ host: host!, port: String(port), user: user! });
  const environment = {
    DATABASE_URL: `postgresql:///${database}?${place}`,
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
    await close();
  }
}

const [recipients = 20_000, kills = 6, connections = 10, sinkDelayMs = 1] = process.argv.slice(2).map(Number);
const plan = { recipients, kills, connections, sinkDelayMs, postgresKills: 5 };
const { result, openAtKills, ...report } = await crashRun({ ...plan, log: (line) => console.log(line) });
const { 1: accepted = 0, 4: uncertain = 0 } = result.receipts;
const inFlight = openAtKills.reduce((sum, open) => sum + open, 0);
console.log({ ...plan, ...report, state: result.state, accepted, uncertain, openAtKills });
const isGood =
  accepted + uncertain === recipients &&
  report.twice + report.lost + report.unexplained + result.open === 0 &&
  report.held === undefined &&
  uncertain <= inFlight &&
  Math.max(...openAtKills) <= connections;
console.log(isGood ? 'kept: nobody lost, nobody twice' : 'BROKEN');

const stop = await stopRun(50_000);
console.log(stop);
const hasWaited = stop.exitCode === 0 && stop.result.receipts[1] === 40 && stop.stopSeconds > 50;
console.log(hasWaited ? 'kept: a reply after 50 s leaves nobody uncertain' : 'BROKEN: the stop');
process.exitCode = isGood && hasWaited ? 0 : 1;
