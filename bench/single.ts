/**
 * Calls a second of sendCampaignToSubscriber over HTTP, from the call to the recorded acceptance of its message by a
 * sink on loopback; beside the same messages through nodemailer's pool alone (which records nothing), in turns, in one
 * run. The API and the sending engine are two processes, as in service.
 *
 *   npx tsx bench/single.ts [messages] [callers at once] [messages for nodemailer]
 *
 * Goal: 500 calls a second, with each message accepted and recorded.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { sql } from '../src/platform/db/sql.ts';
import { WorkerProcess } from '../src/testing/worker-process.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantAtLeast } from './goal.ts';
import { makeNewsletter } from './newsletter-site.ts';
import { nodemailerPool, startProgram } from './programs.ts';
import { type Server, startFacteur } from './two-servers.ts';

const [messages = 10_000, callers = 20, forNodemailer = 3_000] = process.argv.slice(2).map(Number);

const database = await startBenchDatabase();
const { connection, db } = database;
const sink = await startProgram('sink.ts');
try {
  const { port } = sink;
  console.log(`${messages} messages, ${callers} callers at once, ${cpus().length} cores`);
  const before = (await nodemailerPool(port, 10, forNodemailer, 'compose')).perSecond;
  const ours = await facteur(port);
  const after = (await nodemailerPool(port, 10, forNodemailer, 'compose')).perSecond;
  const alone = (before + after) / 2;
  console.table({
    'facteur, calls/s until each message is recorded as accepted': Math.round(ours.perSecond),
    'calls answered, calls/s': Math.round(ours.answeredPerSecond),
    'a call, ms (median, 99th of 100)': `${ours.median}, ${ours.slow}`,
    "nodemailer's pool alone before and after, msg/s": [before, after].map(Math.round).join(', '),
  });
  console.log(`ratio to nodemailer's pool: ${Math.round((ours.perSecond / alone) * 100) / 100}`);
  wantAtLeast('calls a second', ours.perSecond, 500);
} finally {
  sink.child.kill();
  await database.close();
}

async function facteur(port: number) {
  const subscribers = messages + 200;
  const idCampaign = await makeNewsletter(db, { port, connections: 10, subscribers }, true);
  const worker = new WorkerProcess({ connection, secret: randomBytes(32).toString('hex') });
  await worker.ready();
  const api = await startFacteur(database);
  const call = callerOf(api, idCampaign);
  // So that neither process measures its start.
  for (let n = 1; n <= 200; n++) await call(n);
  await untilRecorded(db, 200);
  const start = performance.now();
  const waits = await callAll(call);
  const answered = performance.now() - start;
  await untilRecorded(db, 200 + messages);
  const taken = performance.now() - start;
  await worker.end('SIGTERM');
  api.program.child.kill();
  waits.sort((a, b) => a - b);
  const at = (share: number) => Math.round(waits[Math.floor(waits.length * share)]! * 10) / 10;
  return {
    perSecond: (messages * 1000) / taken,
    answeredPerSecond: (messages * 1000) / answered,
    median: at(0.5),
    slow: at(0.99),
  };
}

function callerOf(
  { program: { port }, headers: own }: Server,
  campaignId: number,
): (subscriberId: number) => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  return (subscriberId) => {
    const body = JSON.stringify({
      campaignId,
      subscriberId,
      idFields: [0, 1, 5, 40],
      emailData: { order: `order ${subscriberId}` },
    });
    const headers = {
      ...own,
      'content-type': 'application/json',
      'idempotency-key': `order-${subscriberId}`,
    };
    const start = performance.now();
    return new Promise((resolve, reject) => {
      const path = '/v1/demo/campaigns/send-to-subscriber';
      const sent = request(
        { port, host: '127.0.0.1', method: 'POST', path, headers, agent },
        async (reply) => {
          let said = '';
          for await (const chunk of reply) said += chunk;
          if (reply.statusCode === 200) resolve(performance.now() - start);
          else reject(new Error(`${reply.statusCode} ${said}`));
        },
      );
      sent.once('error', reject).end(body);
    });
  };
}

async function callAll(call: (subscriberId: number) => Promise<number>): Promise<number[]> {
  const waits: number[] = [];
  let next = 201;
  const one = async () => {
    while (next <= 200 + messages) waits.push(await call(next++));
  };
  await Promise.all(Array.from({ length: callers }, one));
  return waits;
}

async function untilRecorded(db: SiteDb, count: number): Promise<void> {
  for (;;) {
    const { n } = await db.one<{ n: number }>(
      sql`select count(*) as n from ${db.t.single_message} where state = 1`,
    );
    if (n === count) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
