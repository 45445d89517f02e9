/**
 * Messages a second under a limit of connections: the same limit set on the route and set on the provider that all
 * recipients are with, into a relay that takes its time for each message. In turns, in one run, medians of each;
 * every message is counted at the relay, and so is how many were running at once.
 *
 * npx tsx bench/provider-limit.ts [messages] [connections] [milliseconds that the relay takes]
 *
 * Goal: by the provider's limit at least 0.9 of what goes by the route's.
 */
import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import type pg from 'pg';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { sql } from '../src/platform/db/sql.ts';
import { makeSending, sendingResult } from '../src/testing/make-sending.ts';
import { addRelay } from '../src/testing/sending-tester.ts';
import { smtpSink } from '../src/testing/smtp-sink.ts';
import { WorkerProcess } from '../src/testing/worker-process.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantAtLeast, wantAtMost } from './goal.ts';
import { median } from './measure.ts';

const [messages = 500, connections = 3, delayMs = 20] = process.argv.slice(2).map(Number);
const plenty = 20;
const turns = 5;

type Place = 'route' | 'provider';

const { connection, db, close } = await startBenchDatabase();
try {
  console.log(`${messages} messages, ${connections} connections, ${delayMs} ms each, ${cpus().length} cores`);
  const rates: Record<Place, number[]> = { route: [], provider: [] };
  let peak = 0;
  for (let turn = 0; turn < 2 * turns; turn++) {
    const place = turn % 2 === 0 ? 'route' : 'provider';
    const { perSecond, most } = await send(db, connection, place);
    rates[place].push(perSecond);
    peak = Math.max(peak, most);
  }
  const told = (place: Place) => rates[place].map((rate) => Math.round(rate)).join(', ');
  console.table({
    'limited by the route, msg/s': told('route'),
    'limited by the provider, msg/s': told('provider'),
    'messages under way at once, at the most': peak,
  });
  wantAtLeast(
    'ratio of the provider limit to the route limit',
    median(rates.provider) / median(rates.route),
    0.9,
  );
  wantAtMost('messages under way at once', peak, connections);
} finally {
  await close();
}

/** Sends a job; messages a second from its first message to its end, and how many were running at most. */
async function send(db: SiteDb, connection: pg.PoolConfig, place: Place) {
  let first = 0;
  const sink = await smtpSink({
    delayMs,
    onMessage: () => {
      first ||= performance.now();
    },
  });
  const [ofRoute, ofProvider] = place === 'route' ? [connections, 0] : [plenty, connections];
  await db.run(sql`delete from facteur.route`);
  await addRelay(db, sink.port, { maxConnections: ofRoute });
  await db.run(sql`update facteur.provider set max_connections = ${ofProvider}::int where id = 1`);
  const made = await makeSending(db, { recipients: messages, domain: 'gmail.com' });
  const worker = new WorkerProcess({ connection, secret: randomBytes(32).toString('hex') });
  await worker.ready();
  while (!(await sendingResult(db, made)).state.startsWith('Finished'))
    await new Promise((resolve) => setTimeout(resolve, 100));
  const seconds = (performance.now() - first) / 1000;
  await worker.end('SIGTERM');
  await sink.close();
  const arrived = new Set(sink.messages.map(({ to }) => to)).size;
  if (arrived !== messages || sink.messages.length !== messages)
    throw new Error(`${sink.messages.length} arrived, to ${arrived} of ${messages}`);
  return { perSecond: messages / seconds, most: sink.peakMessages() };
}
