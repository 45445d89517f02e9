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
import { getCampaign } from '../src/campaigns/campaign-store.ts';
import { storeLinks } from '../src/campaigns/tracked-link-store.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { sql } from '../src/platform/db/sql.ts';
import { makeCampaign } from '../src/testing/campaign-makers.ts';
import { addRelay } from '../src/testing/sending-tester.ts';
import { WorkerProcess } from '../src/testing/worker-process.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantAtLeast } from './goal.ts';
import { html, subject, text } from './newsletter.ts';
import { nodemailerPool, startProgram } from './programs.ts';

const [messages = 10_000, callers = 20, forNodemailer = 3_000] = process.argv.slice(2).map(Number);
const token = 'bench_token_of_twenty_or_more';

const { connection, db, dataDir, close } = await startBenchDatabase();
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
  await close();
}

interface Figures {
  readonly perSecond: number;
  readonly answeredPerSecond: number;
  readonly median: number;
  readonly slow: number;
}

async function facteur(port: number): Promise<Figures> {
  const idCampaign = await prepare(db, port);
  const worker = new WorkerProcess({ connection, secret: randomBytes(32).toString('hex') });
  await worker.ready();
  const options = JSON.stringify({ kind: 'facteur', connection, dataDir });
  const api = await startProgram('api-server.ts', options);
  const call = callerOf(api.port, idCampaign);
  // So that neither process measures its start.
  for (let n = 1; n <= 200; n++) await call(n);
  await untilRecorded(db, 200);
  const start = performance.now();
  const waits = await callAll(call);
  const answered = performance.now() - start;
  await untilRecorded(db, 200 + messages);
  const taken = performance.now() - start;
  await worker.end('SIGTERM');
  api.child.kill();
  waits.sort((a, b) => a - b);
  const at = (share: number) => Math.round(waits[Math.floor(waits.length * share)]! * 10) / 10;
  return {
    perSecond: (messages * 1000) / taken,
    answeredPerSecond: (messages * 1000) / answered,
    median: at(0.5),
    slow: at(0.99),
  };
}

async function prepare(db: SiteDb, port: number): Promise<number> {
  await addRelay(db, port, { maxConnections: 10 });
  await db.run(sql`
    insert into ${db.t.subscriber} (fld1, fld5, fld40)
    select 'r' || n || '@example.org', 'Zoé ' || n, 75000 + n % 20 from generate_series(1, ${messages + 200}::int) n`);
  await db.run(sql`analyze ${db.t.subscriber}`);
  await db.run(sql`
    insert into facteur.app_user (name, email, created_at) values ('Bench', 'bench@example.com', now());`);
  await db.run(sql`
    insert into facteur.token (id_user, hash, role, all_sites, created_at)
    select max(id), sha256(${token}), 'sender', true, now() from facteur.app_user`);
  const parameters = { name: 'Bench', subject, hasTextMessage: true, mode: 'Dynamic' as const };
  const idCampaign = await makeCampaign(db, {
    htmlContent: html.replace('<body>', '<body><p>[[DATA.order]]</p>'),
    textContent: text,
    parameters,
  });
  await db.transaction(async (tx) => {
    await storeLinks(tx, await getCampaign(tx, idCampaign), new Date(), { all: true });
  });
  return idCampaign;
}

function callerOf(port: number, campaignId: number): (subscriberId: number) => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  return (subscriberId) => {
    const body = JSON.stringify({
      campaignId,
      subscriberId,
      idFields: [0, 1, 5, 40],
      emailData: { order: `order ${subscriberId}` },
    });
    const headers = {
      authorization: `Bearer ${token}`,
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
