import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { hitClasses } from '../activity/hit-class.ts';
import { type LinkKind, linkPaths, makeToken } from '../activity/link-token.ts';
import { sql } from '../platform/db/sql.ts';
import { parseNetworks } from '../platform/network.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeJob } from '../testing/make-sent.ts';
import { browser, type TrackingServer, trackingServer } from '../testing/tracking-server.ts';

let test: TestApp;
let server: TrackingServer;
let idSent: number;
let idLink: number;
let nextSubscriber = 1;
const target = 'https://shop.example.com/a?b=1&c=%C3%A9#d';

beforeAll(async () => {
  test = await testApp({ operations: [] });
  server = await trackingServer(test.app);
  const job = await makeJob(test.db);
  idSent = job.idsSent[0]!;
  idLink = await addLink(job.idCampaign, target);
});
afterAll(async () => {
  await server.close();
  await test.close();
});

async function addLink(
  idCampaign: number,
  url: string,
  parameters = {},
  origin = 'campaign',
): Promise<number> {
  const { id } = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${idCampaign}, ${url}, ${url}, ${origin}, ${JSON.stringify(parameters)}, now())
    returning id`);
  return id;
}

async function addSubscriber(): Promise<number> {
  const email = `reader${nextSubscriber++}@example.com`;
  const { id } = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.subscriber} (fld1) values (${email}) returning fld0 as id`);
  return id;
}

function tokenOf(kind: LinkKind, idSubscriber: number, link = idLink): string {
  const ids = { idSite: test.db.site.id, idSent, idSubscriber };
  return makeToken(test.app.secrets, { kind, ...ids, ...(kind === 'click' && { idLink: link }) });
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { 'user-agent': browser, ...headers },
  });
}

interface StoredHit {
  kind: number;
  class: number;
  idLink: number | null;
  isMobile: boolean;
  userAgent: string;
  address: string;
  at: Date;
}

async function hitsOf(idSubscriber: number): Promise<StoredHit[]> {
  await server.settle();
  return test.db.rows<StoredHit & Record<string, unknown>>(sql`
    select kind, class, id_link as "idLink", is_mobile as "isMobile", user_agent as "userAgent",
      host(address) as address, at
    from ${test.db.t.hit} where id_subscriber = ${idSubscriber} order by id`);
}

describe('clicks', () => {
  it('302 to the stored address, when the hit is stored', async () => {
    const reply = await get(`/r/${tokenOf('click', 101)}`);
    expect(reply.status).toBe(302);
    expect(reply.headers.get('location')).toBe(target);
    expect(reply.headers.get('cache-control')).toContain('no-store');
    expect(await hitsOf(101)).toEqual([
      {
        kind: hitKinds.editorial,
        class: hitClasses.human,
        idLink,
        isMobile: false,
        userAgent: browser,
        address: '127.0.0.1',
        at: test.clock.now(),
      },
    ]);
  });

  it('302 whatever a mail program hangs on to the address', async () => {
    const reply = await get(`/r/${tokenOf('click', 102)}?utm_source=x&url=https://evil.example`);
    expect(reply.status).toBe(302);
    expect(reply.headers.get('location')).toBe(target);
  });

  it('302 to HEAD, as the hit of a scanner', async () => {
    expect((await get(`/r/${tokenOf('click', 103)}`, {}, 'HEAD')).status).toBe(302);
    expect(await hitsOf(103)).toMatchObject([{ class: hitClasses.scanner }]);
  });

  it('302 with an address of other scripts in ASCII', async () => {
    const { idCampaign } = await makeJob(test.db);
    const link = await addLink(idCampaign, 'https://exämple.com/café?q=été');
    const reply = await get(`/r/${tokenOf('click', 104, link)}`);
    expect(reply.headers.get('location')).toBe('https://xn--exmple-cua.com/caf%C3%A9?q=%C3%A9t%C3%A9');
  });

  it.each([
    [{ isUnsubscriptionUrl: true }, 'campaign', hitKinds.unsubscription],
    [{ isMirrorUrl: true }, 'configuration', hitKinds.mirror],
    [{}, 'configuration', hitKinds.editorial],
    [{}, 'advertisement', hitKinds.advertisement],
  ])('count as what the link is: %j of %s', async (parameters, origin, kind) => {
    const { idCampaign } = await makeJob(test.db);
    const link = await addLink(idCampaign, 'https://a.example/', parameters, origin);
    const reader = await addSubscriber();
    await get(`/r/${tokenOf('click', reader, link)}`);
    expect(await hitsOf(reader)).toMatchObject([{ kind, idLink: link }]);
  });

  it('404 for a nonexistent link in a valid token', async () => {
    expect((await get(`/r/${tokenOf('click', 105, 999_999)}`)).status).toBe(404);
    expect(await hitsOf(105)).toEqual([]);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example/',
    '/admin',
    'ftp://x.example/',
    'https:///',
  ])('404 for a stored address that no redirect may lead to: %s', async (url) => {
    const { idCampaign } = await makeJob(test.db);
    const reply = await get(`/r/${tokenOf('click', 106, await addLink(idCampaign, url))}`);
    expect([reply.status, reply.headers.get('location')]).toEqual([404, null]);
  });

  it('404 for a site that does not exist', async () => {
    const token = { kind: 'click', idSite: 9_999, idSent, idSubscriber: 1, idLink } as const;
    expect((await get(`/r/${makeToken(test.app.secrets, token)}`)).status).toBe(404);
  });
});

describe('forged and foreign addresses', () => {
  it.each(['r', 'o', 'm', 'u', 'f'])('404 at /%s/, and nothing is stored', async (path) => {
    const good = tokenOf('click', 120);
    const texts = [
      '',
      'x',
      'A'.repeat(34),
      `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
      good.slice(1),
    ];
    const others = (['click', 'open', 'mirror', 'unsub', 'forward'] as const)
      .map((kind) => [kind, tokenOf(kind, 120)] as const)
      .filter(
        ([kind]) => !{ click: 'r', open: 'o', mirror: 'm', unsub: 'u', forward: 'f' }[kind].includes(path),
      )
      .map(([, text]) => text);
    for (const text of [...texts, ...others]) {
      const reply = await get(`/${path}/${text}`);
      expect([reply.status, reply.headers.get('location')]).toEqual([404, null]);
      expect(await reply.text()).toContain('<h1>Page not found</h1>');
    }
    expect(await hitsOf(120)).toEqual([]);
  });

  it('let other addresses through to the router', async () => {
    for (const path of ['/', '/r', '/rx/abc', '/v1/demo/fields', '/health/live', '/x/abc']) {
      expect((await get(path)).status).toBe(418);
    }
  });

  it('each answer has a request id of its own, whatever it is', async () => {
    const subscriber = await addSubscriber();
    const paths = [
      ...(['click', 'open', 'mirror', 'unsub', 'forward'] as const).map(
        (kind) => `${linkPaths[kind]}${tokenOf(kind, subscriber)}`,
      ),
      '/r/nonsense',
    ];
    const asked = [
      ...paths.map((path) => get(path)),
      get(paths[0]!, {}, 'DELETE'),
      get(paths[0]!, {}, 'HEAD'),
    ];
    const ids = (await Promise.all(asked)).map((reply) => reply.headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('405 for other methods', async () => {
    const click = await get(`/r/${tokenOf('click', 121)}`, {}, 'POST');
    expect([click.status, click.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const page = await get(`/u/${tokenOf('unsub', 121)}`, {}, 'DELETE');
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('opens', () => {
  it('200 with a pixel that no cache keeps', async () => {
    const reply = await get(`/o/${tokenOf('open', 130)}`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('image/gif');
    expect(reply.headers.get('cache-control')).toContain('no-store');
    const body = Buffer.from(await reply.arrayBuffer());
    expect(body.subarray(0, 6).toString()).toBe('GIF89a');
    expect(body.readUInt16LE(6)).toBe(1);
    expect(await hitsOf(130)).toMatchObject([{ kind: hitKinds.open, idLink: null, class: hitClasses.human }]);
  });

  it.each([
    ['Mozilla/5.0', hitClasses.mpp],
    [
      'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
      hitClasses.imageProxy,
    ],
    ['curl/8.1', hitClasses.scanner],
  ])('keep the hit of %s with its class', async (userAgent, expected) => {
    const reader = await addSubscriber();
    await get(`/o/${tokenOf('open', reader)}`, { 'user-agent': userAgent });
    expect(await hitsOf(reader)).toMatchObject([{ class: expected, userAgent }]);
  });

  it('store at most 60 hits of one token in a minute, and answer all', async () => {
    const path = `/o/${tokenOf('open', 131)}`;
    const replies = await Promise.all(Array.from({ length: 100 }, () => get(path)));
    expect(replies.every((reply) => reply.status === 200)).toBe(true);
    expect(await hitsOf(131)).toHaveLength(60);
  });

  it('keep any user agent that a client can send', async () => {
    const userAgent = `"{}\\' ${'é'.repeat(600)}`;
    await get(`/o/${tokenOf('open', 132)}`, { 'user-agent': userAgent });
    expect((await hitsOf(132))[0]?.userAgent).toHaveLength(512);
  });
});

describe('the address of a hit', () => {
  const hitFrom = async (networks: string, idSubscriber: number, headers: Record<string, string>) => {
    const config = { ...test.app.config, trustedProxies: parseNetworks(networks) };
    const behind = await trackingServer({ ...test.app, config });
    try {
      const init = { headers: { 'user-agent': browser, ...headers }, redirect: 'manual' as const };
      const reply = await fetch(`${behind.url}/r/${tokenOf('click', idSubscriber)}`, init);
      expect(reply.headers.get('location')).toBe(target);
      await behind.settle();
    } finally {
      await behind.close();
    }
    return (await hitsOf(idSubscriber))[0]?.address;
  };

  it('is the reader’s behind a trusted proxy, not what they wrote before it', async () => {
    const forwarded = { 'x-forwarded-for': '198.51.100.9, 203.0.113.5' };
    expect(await hitFrom('127.0.0.0/8', 140, forwarded)).toBe('203.0.113.5');
    expect(await hitFrom('127.0.0.0/8, 203.0.113.0/24', 141, forwarded)).toBe('198.51.100.9');
  });

  it('is the peer’s without such a proxy, and where nonsense was written', async () => {
    expect(await hitFrom('', 142, { 'x-forwarded-for': '203.0.113.5' })).toBe('127.0.0.1');
    expect(await hitFrom('10.0.0.0/8', 143, { 'x-forwarded-for': '203.0.113.5' })).toBe('127.0.0.1');
    expect(await hitFrom('127.0.0.1', 144, { 'x-forwarded-for': "'; drop table hit" })).toBe('127.0.0.1');
    expect(await hitFrom('127.0.0.1', 145, { 'x-forwarded-for': 'x'.repeat(10_000) })).toBe('127.0.0.1');
  });

  it('leads nobody elsewhere: pages name the public address, whatever host and protocol are forwarded', async () => {
    const config = { ...test.app.config, trustedProxies: parseNetworks('127.0.0.1') };
    const behind = await trackingServer({ ...test.app, config });
    const reader = await addSubscriber();
    const page = async (headers: Record<string, string> = {}) => {
      const reply = await fetch(`${behind.url}/u/${tokenOf('unsub', reader)}`, { headers });
      return { status: reply.status, headers: [...reply.headers.keys()], text: await reply.text() };
    };
    try {
      const forged = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'gopher',
        'x-forwarded-port': '1',
      };
      expect(await page(forged)).toEqual(await page());
    } finally {
      await behind.close();
    }
  });
});
