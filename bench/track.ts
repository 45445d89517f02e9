/**
 * Redirects a second with every hit stored durably before its response, beside a bare Node server that redirects and
 * stores nothing. Both in processes of their own, the same client, in turns, in one run. Goal: at least a third.
 *
 * Each connection waits until its hit is synced to the disk, so few of them cannot fill the service. A round ends when
 * its hits are in the database, so that no work is deferred into the next one.
 *
 * npx tsx bench/track.ts [seconds per round] [connections]
 */
import { randomBytes } from 'node:crypto';
import type autocannon from 'autocannon';
import { makeToken } from '../src/activity/link-token.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { sql } from '../src/platform/db/sql.ts';
import { Secrets } from '../src/platform/secrets.ts';
import { makeJob } from '../src/testing/make-sent.ts';
import type { WorkOptions } from '../src/testing/work-process.ts';
import { startBenchDatabase } from './bench-database.ts';
import { wantAtLeast } from './goal.ts';
import { callsOf, medianRound, type Round, shownRound } from './measure.ts';
import { type Program, startProgram } from './programs.ts';

const connections = Number(process.argv[3] ?? 50);
const tokensPerConnection = 400;
const rounds = 3;
const seconds = Number(process.argv[2] ?? 5);
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36';

const { connection, db, dataDir, close } = await startBenchDatabase();
const programs: Program[] = [];
try {
  const secret = randomBytes(32);
  const { idCampaign, idsSent } = await makeJob(db);
  const link = await db.one<{ id: number }>(sql`
    insert into ${db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${idCampaign}, 'https://shop.example.com/spring?id=1', 'https://shop.example.com/spring?id=1', 'campaign',
      '{}', now())
    returning id`);
  const secrets = new Secrets(secret);
  const pathOf = (idSubscriber: number) =>
    `/r/${makeToken(secrets, { kind: 'click', idSite: db.site.id, idSent: idsSent[0]!, idSubscriber, idLink: link.id })}`;

  const options = JSON.stringify({
    ...{ connection, dataDir, work: { track: true } },
    secret: secret.toString('hex'),
  } satisfies WorkOptions);
  const bare = await start('bare-server.ts');
  const tracked = await start('../src/testing/work-process.ts', options);
  await load(bare, pathOf, 1);
  await load(tracked, pathOf, 1);
  const warm = await db.one<{ n: number }>(sql`select sum(size) as n from ${db.t.hit_batch}`);

  const bareRounds: Round[] = [];
  const trackedRounds: Round[] = [];
  let answered = 0;
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    bareRounds.push(await load(bare, pathOf, seconds));
    const ours = await load(tracked, pathOf, seconds);
    trackedRounds.push(ours);
    answered += ours.answers;
    // Work that was deferred would make the figures of this round too good, and those of the next bare one too bad.
    slowestMs = Math.max(slowestMs, await untilStored(db, warm.n + answered));
  }
  const stored = await db.one<{ n: number }>(sql`select sum(size) as n from ${db.t.hit_batch}`);

  const base = medianRound(bareRounds);
  const ours = medianRound(trackedRounds);
  console.log(`bare 302: ${shownRound(base)}`);
  console.log(`tracked 302, stored before the answer: ${shownRound(ours)}`);
  wantAtLeast('ratio to the bare server', ours.perSecond / base.perSecond, 1 / 3);
  console.log(
    `answered ${answered}, in the database ${stored.n - warm.n} (requests in flight at a round's end too), ` +
      `all of a round ${Math.round(slowestMs)} ms after its end at the latest`,
  );
  if (stored.n - warm.n < answered) process.exitCode = 1;
} finally {
  for (const { child } of programs) child.kill('SIGKILL');
  await close();
}

async function start(path: string, ...args: string[]): Promise<number> {
  const program = await startProgram(path, ...args);
  programs.push(program);
  return program.port;
}

/** Waits until so many hits are in the database; the time that took, in milliseconds. */
async function untilStored(db: SiteDb, hits: number): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < 30_000) {
    const { n } = await db.one<{ n: number }>(sql`select sum(size) as n from ${db.t.hit_batch}`);
    if (n >= hits) return performance.now() - start;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${hits} hits were answered, and are not in the database after half a minute`);
}

function load(port: number, pathOf: (id: number) => string, duration: number): Promise<Round> {
  let next = 0;
  // Tokens of its own for each connection: one token alone would run into the limit per token.
  const setupClient = (client: autocannon.Client) =>
    client.setRequests(Array.from({ length: tokensPerConnection }, () => ({ path: pathOf(++next) })));
  const headers = { 'user-agent': userAgent };
  return callsOf({ url: `http://127.0.0.1:${port}`, connections, duration, headers, setupClient }, '3xx');
}
