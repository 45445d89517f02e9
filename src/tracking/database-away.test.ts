import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeToken } from '../activity/link-token.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { type DatabaseProxy, databaseProxy } from '../testing/database-proxy.ts';
import { makeJob } from '../testing/make-sent.ts';
import { browser, type TrackingServer, trackingServer } from '../testing/tracking-server.ts';

let test: TestApp;
let proxy: DatabaseProxy;
let control: Database;
let server: TrackingServer;
let idSent: number;
let idLink: number;
let otherLink: number;

// The test looks at the database directly; the tracking server reaches it through a way that can be cut.
beforeEach(async () => {
  test = await testApp({ operations: [] });
  proxy = await databaseProxy(test.connection);
  control = openDatabase({ ...proxy.connection, max: 5 }, () => undefined);
  const job = await makeJob(test.db);
  idSent = job.idsSent[0]!;
  idLink = await addLink(job.idCampaign, 'https://known.example/');
  otherLink = await addLink(job.idCampaign, 'https://other.example/');
  server = await trackingServer({ ...test.app, control, ...siteFinder(control) });
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
  return readdir(join(test.dataDir, 'spool')).catch(() => []);
}

async function statusesOf(replies: readonly Promise<Response>[]): Promise<number[]> {
  return (await Promise.all(replies)).map((reply) => reply.status);
}

/** Until all that was answered is in the database, which is back. */
async function stored(): Promise<void> {
  await vi.waitFor(() => server.settle(), { timeout: 10_000, interval: 20 });
}

describe('while the database is away', () => {
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

  it('503 with Retry-After for a link that was never read', async () => {
    expect((await get('r', 1)).status).toBe(302);
    proxy.cut();
    const reply = await get('r', 2, otherLink);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await reply.text()).toContain('Please try again');
    proxy.restore();
    await vi.waitFor(async () => expect((await get('r', 2, otherLink)).status).toBe(302));
  });

  it('a link known from before is answered also when it is not fresh any more', async () => {
    expect((await get('r', 1)).status).toBe(302);
    proxy.cut();
    test.clock.advance(3_600_000);
    expect((await get('r', 2)).status).toBe(302);
  });

  it('hits whose commit was lost sight of are stored once', async () => {
    expect((await get('r', 1)).status).toBe(302);
    await stored();
    // The database commits as it is told, but does not get to say so.
    proxy.holdCommits();
    const ids = Array.from({ length: 20 }, (_, i) => i + 2);
    expect(await statusesOf(ids.map((each) => get('r', each)))).toEqual(ids.map(() => 302));
    await vi.waitFor(async () => expect((await hitsBySubscriber()).length).toBeGreaterThan(1));
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
      await vi.waitFor(() => expect(answered.length).toBeGreaterThan(before + 30), { timeout: 20_000 });
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
