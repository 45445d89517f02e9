import type { ChildProcess } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeToken } from '../activity/link-token.ts';
import { sql } from '../platform/db/sql.ts';
import { Secrets } from '../platform/secrets.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeJob } from '../testing/make-sent.ts';
import { kill, startWork } from '../testing/programs.ts';
import { type TcpProxy, tcpProxy } from '../testing/tcp-proxy.ts';
import { browser } from '../testing/tracking-server.ts';

const secret = Buffer.alloc(32, 5);
const secrets = new Secrets(secret);

let test: TestApp;
let proxy: TcpProxy;
let idSent: number;
let idLink: number;
let child: ChildProcess;
let nextReader = 1;

beforeEach(async () => {
  test = await testApp({ operations: [] });
  proxy = await tcpProxy(test.connection);
  const job = await makeJob(test.db);
  idSent = job.idsSent[0]!;
  const link = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${job.idCampaign}, 'https://a.example/', 'https://a.example/', 'campaign', '{}', now())
    returning id`);
  idLink = link.id;
});
afterEach(async () => {
  await kill(child);
  await proxy.close();
  await test.close();
});

/** Starts the tracking role as a process of its own; its address. */
async function start(): Promise<string> {
  const place = { connection: proxy.connection, dataDir: test.dataDir };
  child = startWork(place, { track: true }, { secret: secret.toString('hex') });
  for await (const line of createInterface({ input: child.stdout! })) return `http://127.0.0.1:${line}`;
  throw new Error('The tracking process did not start');
}

/** Clicks as fast as eight readers can until the server no longer exists; adds who was answered. */
async function clickUntilGone(url: string, answered: number[]): Promise<void> {
  const reader = async () => {
    for (;;) {
      const idSubscriber = nextReader++;
      const token = makeToken(secrets, {
        kind: 'click',
        idSite: test.db.site.id,
        idSent,
        idSubscriber,
        idLink,
      });
      const reply = await fetch(`${url}/r/${token}`, {
        redirect: 'manual',
        headers: { 'user-agent': browser },
      }).catch(() => undefined);
      if (!reply) return;
      if (reply.status === 302) answered.push(idSubscriber);
    }
  };
  await Promise.all(Array.from({ length: 8 }, reader));
}

async function expectStoredOnce(answered: readonly number[]): Promise<void> {
  const spool = join(test.dataDir, 'spool');
  await vi.waitFor(async () => expect(await readdir(spool)).toEqual([]), { timeout: 100_000, interval: 20 });
  const rows = await test.db.rows<{ id: number; n: number }>(sql`
    select id_subscriber as id, count(*) as n from ${test.db.t.hit} group by 1`);
  expect(rows.filter((row) => row.n > 1)).toEqual([]);
  const stored = new Set(rows.map((row) => row.id));
  expect(answered.filter((id) => !stored.has(id))).toEqual([]);
}

describe('after kill -9 of the tracking process', () => {
  it('every answered hit is in the database after the next start, and once', async () => {
    const answered: number[] = [];
    for (let kills = 1; kills <= 3; kills++) {
      const clicks = clickUntilGone(await start(), answered);
      const enough = answered.length + 200;
      await vi.waitFor(() => expect(answered.length).toBeGreaterThan(enough), {
        timeout: 100_000,
        interval: 5,
      });
      await kill(child);
      await clicks;
    }
    await start();
    await expectStoredOnce(answered);
  });

  it('every hit answered while the database was unavailable is there after the next start, and once', async () => {
    const answered: number[] = [];
    for (let kills = 1; kills <= 3; kills++) {
      const clicks = clickUntilGone(await start(), answered);
      const reached = (n: number) =>
        vi.waitFor(() => expect(answered.length).toBeGreaterThan(n), { timeout: 100_000, interval: 5 });
      await reached(answered.length + 50);
      proxy.cut();
      await reached(answered.length + 200);
      // The second time it is killed while it reads the spool back.
      if (kills === 2) proxy.restore();
      await kill(child);
      await clicks;
      proxy.restore();
    }
    await start();
    await expectStoredOnce(answered);
  });
});
