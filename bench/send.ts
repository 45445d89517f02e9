/**
 * Messages a second from end to end: a campaign's generation to the recorded acceptance of its last message, 20 kB
 * of personalised HTML with 20 tracked links and a text part, unsigned; beside nodemailer's pool on the same
 * messages (it records nothing) and, where it is installed, postfix's smtp-source, which makes nothing either. All
 * into the same sink on loopback, one after the other, in one run.
 *
 *   npx tsx bench/send.ts [messages] [connections] [messages for nodemailer]
 *
 * Goals: at least 2 times nodemailer's pool; the worker below 250 MB at 100,000 messages.
 *
 * On 2026-11-20, Node 20, two cores busy with other work: 3,040/s on 10 connections and 3,180/s on 40, nodemailer 540 to
 * 600/s (ratio 5.1 and 5.8), smtp-source 9,700 to 15,400/s; 0.25 to 0.30 ms of processor time per message, nodemailer
 * 1.4 to 1.8; 172 MB at 100,000 messages.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { getCampaign } from '../src/campaigns/campaign-store.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { sql } from '../src/platform/db/sql.ts';
import { startJob } from '../src/sending/control-jobs.ts';
import { makeSegment, makeTarget } from '../src/testing/campaign-makers.ts';
import { isInstalled } from '../src/testing/daemon.ts';
import { peakMegabytes } from '../src/testing/programs.ts';
import { WorkerProcess } from '../src/testing/worker-process.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantAtLeast, wantBelow } from './goal.ts';
import { makeNewsletter } from './newsletter-site.ts';
import { ask, nodemailerPool, outputOf, type SendingRate, startProgram } from './programs.ts';

const [messages = 100_000, connections = 10, forNodemailer = 5_000] = process.argv.slice(2).map(Number);

const { connection, db, close } = await startBenchDatabase();
const sink = await startProgram('sink.ts');
try {
  const { port } = sink;
  console.log(`${messages} messages, ${connections} connections, ${cpus().length} cores`);
  // In turns, so that other work on the machine weighs on both.
  const before = await nodemailerPool(port, connections, forNodemailer, 'compose');
  const ours = await sendOurs(port);
  const after = await nodemailerPool(port, connections, forNodemailer, 'compose');
  const raw = await nodemailerPool(port, connections, forNodemailer, 'raw');
  const ceiling = await smtpSource(port);
  const composed = (before.perSecond + after.perSecond) / 2;
  const figures = {
    'facteur, msg/s': Math.round(ours.perSecond),
    'of it generation, s': ours.generationS,
    'worker, ms of processor time per message': round(ours.cpuMs),
    'worker, MB resident at the most': Math.round(ours.megabytes),
    "nodemailer's pool before and after, msg/s": [before, after]
      .map((one) => Math.round(one.perSecond))
      .join(', '),
    'the same, ms of processor time per message': round((before.cpuMs + after.cpuMs) / 2),
    "nodemailer's pool, one ready message again and again, msg/s": Math.round(raw.perSecond),
    'smtp-source, msg/s': ceiling === undefined ? 'not installed' : Math.round(ceiling),
  };
  console.table(figures);
  console.log(`ratio to nodemailer's pool: ${round(ours.perSecond / composed)}`);
  wantAtLeast("ratio to nodemailer's pool", ours.perSecond / composed, 2);
  // With fewer it says nothing.
  if (messages >= 100_000) wantBelow('memory of the worker, MB', ours.megabytes, 250);
} finally {
  sink.child.kill();
  await close();
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}

async function sendOurs(port: number): Promise<SendingRate & { generationS: number; megabytes: number }> {
  const idJob = await prepare(db, port);
  const secret = randomBytes(32).toString('hex');
  const before = await ask(sink);
  const worker = new WorkerProcess({ connection, secret, generate: { idSite: db.site.id, idJob } });
  await worker.ready();
  const start = performance.now();
  let generationS = 0;
  let megabytes = 0;
  for (let state = ''; !state.startsWith('Finished'); ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const job = await db.one<{ state: string; info: string | null }>(
      sql`select state, error_info as info from ${db.t.job} where id = ${idJob}`,
    );
    state = job.state;
    if (state === 'Error') throw new Error(job.info ?? 'The job failed');
    if (generationS === 0 && state !== 'Programmed')
      generationS = Math.round(performance.now() - start) / 1000;
    megabytes = Math.max(megabytes, peakMegabytes(worker.child.pid!));
  }
  const seconds = (performance.now() - start) / 1000;
  const cpuMs = worker.processorMs() / messages;
  await worker.end('SIGTERM');
  const receipts = await db.one<{ n: number }>(
    sql`select count(*) as n from ${db.t.receipt} where state = 1`,
  );
  const arrived = (await ask(sink)) - before;
  if (receipts.n !== messages || arrived !== messages)
    throw new Error(`${receipts.n} recorded, ${arrived} arrived`);
  return { perSecond: messages / seconds, cpuMs, generationS, megabytes };
}

async function prepare(db: SiteDb, port: number): Promise<number> {
  const idCampaign = await makeNewsletter(db, { port, connections, subscribers: messages });
  await makeSegment(db, idCampaign, { idTarget: await makeTarget(db) });
  return db.transaction(async (tx) => {
    const at = new Date();
    const campaign = await getCampaign(tx, idCampaign);
    await tx.run(sql`update ${tx.t.campaign} set schedule_state = 'Programmed' where id = ${idCampaign}`);
    return startJob(tx, { campaign, isTest: false, scheduledAt: at, author: 'bench' }, at);
  });
}

async function smtpSource(port: number): Promise<number | undefined> {
  if (!isInstalled('smtp-source')) return undefined;
  const start = performance.now();
  const args = ['-d', '-s', String(connections), '-m', String(messages), '-l', '27000', `127.0.0.1:${port}`];
  await outputOf(spawn('smtp-source', args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  return (messages * 1000) / (performance.now() - start);
}
