import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeToken } from '../activity/link-token.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { appOver } from '../testing/make-app.ts';
import { makeJob } from '../testing/make-sent.ts';
import { type TcpProxy, tcpProxy } from '../testing/tcp-proxy.ts';
import { browser, type TrackingServer, trackingServer } from '../testing/tracking-server.ts';

let test: TestApp;
let proxy: TcpProxy;
let control: Database;
let server: TrackingServer;
let idSent: number;
let idCampaign: number;
let idLink: number;
let otherLink: number;
/** Lines that the program logged. */
let said: string[];

// The test looks at the database directly; the tracking server reaches it through a way that can be cut.
beforeEach(async () => {
  test = await testApp({ operations: [] });
  proxy = await tcpProxy(test.connection);
  control = openDatabase({ ...proxy.connection, max: 5 }, () => undefined);
  const job = await makeJob(test.db);
  idSent = job.idsSent[0]!;
  idCampaign = job.idCampaign;
  idLink = await addLink(idCampaign, 'https://known.example/');
  otherLink = await addLink(idCampaign, 'https://other.example/');
  said = [];
  const log = pino({ level: 'debug' }, { write: (line) => void said.push(line) });
  server = await trackingServer({ ...appOver(test.app, control), log });
});
afterEach(async () => {
  proxy.restore();
  await server.close();
  await control.pool.end();
  await proxy.close();
  await test.close();
});

async function addLink(idCampaign: number, url: string): Promise<number> {
  const { id } = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${idCampaign}, ${url}, ${url}, 'campaign', '{}', now())
    returning id`);
  return id;
}

function get(
  path: 'r' | 'o' | 'u',
  idSubscriber: number,
  link = idLink,
  init: RequestInit = {},
): Promise<Response> {
  const kind = ({ r: 'click', o: 'open', u: 'unsub' } as const)[path];
  const ids = { idSite: test.db.site.id, idSent, idSubscriber, ...(path === 'r' && { idLink: link }) };
  const url = `${server.url}/${path}/${makeToken(test.app.secrets, { kind, ...ids })}`;
  return fetch(url, { redirect: 'manual', ...init, headers: { 'user-agent': browser } });
}

async function hitsBySubscriber(): Promise<number[]> {
  const rows = await test.db.rows<{ id: number }>(sql`
    select id_subscriber as id from ${test.db.t.hit} order by id_subscriber`);
  return rows.map((row) => row.id);
}

async function spoolFiles(): Promise<string[]> {
  return readdir(join(server.dataDir, 'spool')).catch(() => []);
}

async function statusesOf(replies: readonly Promise<Response>[]): Promise<number[]> {
  return (await Promise.all(replies)).map((reply) => reply.status);
}

/** Waits until the log reports that a campaign's links were read, without any click on them. */
async function untilKnown(idCampaign: number): Promise<void> {
  const isRead = () => said.some((line) => line.includes(`"campaigns":[${idCampaign}]`));
  await vi.waitFor(() => expect(isRead()).toBe(true), { timeout: 100_000, interval: 20 });
}

/** Waits until everything that was answered is in the database, which is available again. */
async function stored(): Promise<void> {
  await vi.waitFor(() => server.settle(), { timeout: 100_000, interval: 20 });
}

describe('while the database is unavailable', () => {
  it('clicks on known links, opens and unsubscriptions are answered, and stored once when it is back', async () => {
    const { id } = await test.db.one<{ id: number }>(sql`
      insert into ${test.db.t.subscriber} (fld1) values ('reader@example.com') returning fld0 as id`);
    expect((await get('r', 1)).status).toBe(302);
    await stored();
    proxy.cut();
    const ids = Array.from({ length: 30 }, (_, i) => i + 2);
    expect(await statusesOf(ids.map((each) => get('r', each)))).toEqual(ids.map(() => 302));
    expect((await get('o', 100)).status).toBe(200);
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await get('u', id, 0, { method: 'POST', body })).status).toBe(200);
    expect(await spoolFiles()).not.toEqual([]);
    expect(await hitsBySubscriber()).toEqual([1]);

    proxy.restore();
    await stored();
    expect(await hitsBySubscriber()).toEqual([1, ...ids, 100]);
    const row = await test.db.one<{ fld7: number; fld4: Date }>(sql`
      select fld7, fld4 from ${test.db.t.subscriber} where fld0 = ${id}`);
    expect(row).toEqual({ fld7: 1, fld4: test.clock.now() });
    expect((await get('r', 101)).status).toBe(302);
    await stored();
    expect(await hitsBySubscriber()).toContain(101);
  });

  it('clicks on known links are redirected and counted as lost while the spool cannot be written', async () => {
    expect((await get('r', 1)).status).toBe(302);
    await stored();
    const spool = join(server.dataDir, 'spool');
    await rm(spool, { recursive: true, force: true });
    await writeFile(spool, 'no folder');
    const click = await get('r', 2);
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://known.example/']);
    expect((await get('o', 3)).status).toBe(503);
    expect(said.filter((line) => line.includes('click redirected but not recorded'))).toHaveLength(1);
    await rm(spool);
    expect((await get('r', 4)).status).toBe(302);
    await stored();
    expect(await hitsBySubscriber()).toEqual([1, 4]);
  });

  it('503 with Retry-After for a link that was never read', async () => {
    expect((await get('r', 1)).status).toBe(302);
    const newLink = await addLink(idCampaign, 'https://new.example/');
    proxy.cut();
    const reply = await get('r', 2, newLink);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '10']);
    const told = said
      .map((line) => JSON.parse(line))
      .find((line) => line.msg === 'request to a tracked address failed');
    expect(told).toMatchObject({ requestId: reply.headers.get('x-request-id'), kind: 'click' });
    expect(await reply.text()).toContain('Please try again');
    proxy.restore();
    await vi.waitFor(async () => expect((await get('r', 2, newLink)).status).toBe(302), 100_000);
  });

  it('the first click on a recent sent is answered, though it comes while the database is unavailable', async () => {
    await untilKnown(idCampaign);
    proxy.cut();
    expect((await get('r', 1, otherLink)).status).toBe(302);
    proxy.restore();
    await stored();
    expect(await hitsBySubscriber()).toEqual([1]);
  });

  it('so is the first click on an old sent that was opened before', async () => {
    const old = await makeJob(test.db, { startedAt: new Date('2026-03-01T09:00:00Z') });
    idSent = old.idsSent[0]!;
    const oldLink = await addLink(old.idCampaign, 'https://old.example/');
    expect((await get('o', 1)).status).toBe(200);
    await untilKnown(old.idCampaign);
    proxy.cut();
    expect((await get('r', 2, oldLink)).status).toBe(302);
    proxy.restore();
    await stored();
    expect(await hitsBySubscriber()).toEqual([1, 2]);
  });

  it('anyone who clicks on a link has made the others of its campaign known', async () => {
    // These are added after, so it is the click that reads them.
    await untilKnown(idCampaign);
    const [one, other] = [
      await addLink(idCampaign, 'https://1.test/'),
      await addLink(idCampaign, 'https://2.test/'),
    ];
    expect((await get('r', 1, one)).status).toBe(302);
    proxy.cut();
    expect((await get('r', 2, other)).status).toBe(302);
  });

  it('a link known from before is answered though the database does not say that it is unavailable', async () => {
    expect((await get('r', 1)).status).toBe(302);
    proxy.hold();
    test.clock.advance(3_600_000);
    expect(await statusesOf([get('r', 2), get('r', 3, otherLink)])).toEqual([302, 302]);
  });

  it('a link known from before is answered even when it is no longer fresh', async () => {
    expect((await get('r', 1)).status).toBe(302);
    proxy.cut();
    test.clock.advance(3_600_000);
    expect((await get('r', 2)).status).toBe(302);
  });

  it('hits whose commit outcome is unknown are stored once', async () => {
    expect((await get('r', 1)).status).toBe(302);
    await stored();
    // The database commits, but its confirmation does not arrive.
    proxy.holdFrom(/\bcommit\b/i);
    const ids = Array.from({ length: 20 }, (_, i) => i + 2);
    expect(await statusesOf(ids.map((each) => get('r', each)))).toEqual(ids.map(() => 302));
    await vi.waitFor(async () => expect((await hitsBySubscriber()).length).toBeGreaterThan(1), 100_000);
    proxy.restore();
    await stored();
    expect(await hitsBySubscriber()).toEqual([1, ...ids]);
  });

  it('comes and goes many times under load, and every answered hit is stored once', async () => {
    expect((await get('r', 1)).status).toBe(302);
    const answered: number[] = [1];
    let next = 2;
    let isOver = false;
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const id = next++;
        if ((await get('r', id)).status === 302) answered.push(id);
      }
    });
    for (let times = 0; times < 6; times++) {
      const before = answered.length;
      proxy.cut();
      await vi.waitFor(() => expect(answered.length).toBeGreaterThan(before + 30), { timeout: 100_000 });
      proxy.restore();
      await stored();
    }
    isOver = true;
    await Promise.all(clients);
    await stored();
    const inDatabase = await hitsBySubscriber();
    expect(new Set(inDatabase).size).toBe(inDatabase.length);
    expect(inDatabase).toEqual([...answered].sort((a, b) => a - b));
  });
});
