/**
 * Calls a second of sendCampaignToSubscriber over HTTP, from the call to the recorded acceptance of its message by a
 * sink on loopback; beside the same messages through nodemailer's pool alone (which records nothing), in turns, in one
 * run. The API and the sending engine are two processes, as in service.
 *
 *   npx tsx bench/single.ts [messages] [callers at once] [messages for nodemailer]
 *
 * Goal: 500 calls a second, with each message accepted and recorded.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { pino } from 'pino';
import { getCampaign } from '../src/campaigns/campaign-store.ts';
import { storeLinks } from '../src/campaigns/tracked-link-store.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { siteFinder } from '../src/platform/db/sites.ts';
import { sql } from '../src/platform/db/sql.ts';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { makeCampaign } from '../src/testing/campaign-makers.ts';
import { addRelay } from '../src/testing/sending-tester.ts';
import { makeTemplate, templateName } from '../src/testing/template-database.ts';
import { WorkerProcess } from '../src/testing/worker-process.ts';
import { wantAtLeast } from './goal.ts';
import { html, subject, text } from './newsletter.ts';

const [messages = 10_000, callers = 20, forNodemailer = 3_000] = process.argv.slice(2).map(Number);
const token = 'bench_token_of_twenty_or_more';
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const dataDir = await mkdtemp(join(tmpdir(), 'facteur-bench-'));
const postgres = await startPostgres({ dataDir, log: pino({ level: 'silent' }) });
const sink = spawn(process.execPath, ['--import', 'tsx', script('sink.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const lines = createInterface({ input: sink.stdout! });
try {
  const port = Number((await once(lines, 'line'))[0]);
  console.log(`${messages} messages, ${callers} callers at once, ${cpus().length} cores`);
  const before = await nodemailer(port);
  const ours = await facteur(port);
  const after = await nodemailer(port);
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
  sink.kill();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

interface Figures {
  readonly perSecond: number;
  readonly answeredPerSecond: number;
  readonly median: number;
  readonly slow: number;
}

async function facteur(port: number): Promise<Figures> {
  const server = postgres.connection as pg.ClientConfig;
  await makeTemplate(server);
  const connection = { ...server, database: templateName };
  const database = openDatabase({ ...connection, max: 4 }, () => undefined);
  const db = (await siteFinder(database).site('demo'))!;
  const idCampaign = await prepare(db, port);
  const worker = new WorkerProcess({ connection, secret: randomBytes(32).toString('hex') });
  await worker.ready();
  const options = JSON.stringify({ kind: 'facteur', connection, dataDir });
  const api = spawn(process.execPath, ['--import', 'tsx', script('api-server.ts'), options], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { value } = await createInterface({ input: api.stdout! })[Symbol.asyncIterator]().next();
  const call = callerOf(Number(value), idCampaign);
  // So that neither process measures its start.
  for (let n = 1; n <= 200; n++) await call(n);
  await untilRecorded(db, 200);
  const start = performance.now();
  const waits = await callAll(call);
  const answered = performance.now() - start;
  await untilRecorded(db, 200 + messages);
  const taken = performance.now() - start;
  await worker.end('SIGTERM');
  api.kill();
  await database.pool.end();
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

async function nodemailer(port: number): Promise<number> {
  const args = [port, 10, forNodemailer, 'compose'].map(String);
  const child = spawn(process.execPath, ['--import', 'tsx', script('nodemailer-pool.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (JSON.parse(await outputOf(child)) as { perSecond: number }).perSecond;
}

async function outputOf(child: ChildProcess): Promise<string> {
  let out = '';
  child.stdout!.on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`A sender ended with ${code}`);
  return out;
}
