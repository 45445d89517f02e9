import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeToken } from '../activity/link-token.ts';
import { listFields } from '../fields/field-store.ts';
import { openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { parseNetworks } from '../platform/network.ts';
import { forwardLimits } from '../sending/forward.ts';
import { singleStates } from '../sending/single-message.ts';
import { archiveSubscribers } from '../subscribers/archive-store.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { Hold } from '../testing/hold.ts';
import { appOver } from '../testing/make-app.ts';
import { makeSending } from '../testing/make-sending.ts';
import { makeJob } from '../testing/make-sent.ts';
import { tcpProxy } from '../testing/tcp-proxy.ts';
import { type TrackingServer, trackingServer } from '../testing/tracking-server.ts';

const hour = 3_600_000;

let test: TestApp;
let server: TrackingServer;
let idSent: number;
beforeAll(async () => {
  test = await testApp({ operations: [] });
});
afterAll(() => test.close());
// A server again for each test: the limit of requests from one address begins again with it.
beforeEach(async () => {
  server = await trackingServer(test.app);
  idSent = await frozenSent();
});
afterEach(() => server.close());

async function frozenSent(): Promise<number> {
  return (await makeSending(test.db, { recipients: 0 })).idSent;
}

interface Whose {
  readonly idSubscriber?: number;
  readonly idSent?: number;
  readonly idSite?: number;
}

function pageOf({ idSubscriber = 1, idSite = test.db.site.id, ...of }: Whose = {}): string {
  const ids = { idSite, idSent, idSubscriber, ...of };
  return `/f/${makeToken(test.app.secrets, { kind: 'forward', ...ids })}`;
}

type Fields = readonly (readonly [string, string])[];
const friend = (...emails: string[]): [string, string][] => emails.map((email) => ['friend', email]);

interface Posted {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function post(fields: Fields, whose: Whose = {}, init: RequestInit = {}): Promise<Posted> {
  const body = new URLSearchParams(fields.map(([name, value]) => [name, value] as [string, string]));
  const reply = await fetch(server.url + pageOf(whose), { method: 'POST', body, ...init });
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
}

interface Stored {
  readonly idSubscriber: number;
  readonly friend: string | null;
  readonly name: string | null;
  readonly language: string;
  readonly state: number;
}

/** Forwards of this test's sending. */
async function stored(): Promise<Stored[]> {
  return test.db.rows<Stored & Record<string, unknown>>(sql`
    select f.id_subscriber as "idSubscriber", friend, name, language, m.state
    from ${test.db.t.forward} f join ${test.db.t.single_message} m on m.id = f.id_message
    where f.id_sent = ${idSent} order by m.id`);
}

describe('the page', () => {
  it('200 with the form, in the reader’s language, closed to everything else; nothing is stored', async () => {
    for (const [language, title] of [
      ['en', 'Forward to a friend'],
      ['fr', 'Transférer ce message'],
    ] as const) {
      const reply = await fetch(server.url + pageOf(), { headers: { 'accept-language': language } });
      const html = await reply.text();
      expect(reply.status).toBe(200);
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html.match(/<input name="friend" type="email"/g)).toHaveLength(forwardLimits.atOnce);
      expect(html).not.toMatch(/<script|<link|<img|https?:|\son\w+=|<textarea/);
      expect(reply.headers.get('content-language')).toBe(language);
      expect(reply.headers.get('content-security-policy')).toContain("form-action 'self'");
      expect(reply.headers.get('content-security-policy')).not.toContain('unsafe');
      expect(reply.headers.get('x-robots-tag')).toBe('noindex, nofollow');
      expect(reply.headers.get('referrer-policy')).toBe('no-referrer');
      expect(reply.headers.get('cache-control')).toContain('no-store');
    }
    await server.settle();
    expect(await stored()).toEqual([]);
    expect(await test.db.rows(sql`select from ${test.db.t.hit} where id_sent = ${idSent}`)).toEqual([]);
  });

  it('405 to other methods', async () => {
    const reply = await fetch(server.url + pageOf(), { method: 'PUT' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('404 to a token of another kind, and to a forged one, including by POST', async () => {
    const ids = { idSite: test.db.site.id, idSent, idSubscriber: 1 };
    const other = makeToken(test.app.secrets, { kind: 'unsub', ...ids });
    for (const path of [`/f/${other}`, pageOf().slice(0, -1), `${pageOf()}A`]) {
      for (const method of ['GET', 'POST']) {
        const reply = await fetch(server.url + path, { method });
        expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining('Page not found')]);
      }
    }
  });
});

describe('a post', () => {
  it('200 and stores each friend once, with what has it sent', async () => {
    const fields: Fields = [
      ...friend('Ann@BÜCHER.example', ' ann@bücher.example', 'bob@b.example', ''),
      ['name', ' Jo  É. '],
    ];
    const reply = await post(fields, {}, { headers: { 'accept-language': 'fr' } });
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('en route')]);
    const same = { idSubscriber: 1, name: 'Jo É.', language: 'fr', state: singleStates.pending };
    expect(await stored()).toEqual([
      { ...same, friend: 'ann@xn--bcher-kva.example' },
      { ...same, friend: 'bob@b.example' },
    ]);
    const hints = await test.app.control.rows(sql`select id_site as id from facteur.single_message_site`);
    expect(hints).toEqual([{ id: test.db.site.id }]);
    expect((await post(friend('BOB@b.example'))).status).toBe(200);
    expect(await stored()).toHaveLength(2);
  });

  it.each([
    ['no address', [['friend', ' ']], 'Please give at least one address'],
    ['none that is one', friend('bob'), '“bob” is not an email address'],
    ['one with a header behind it', friend('a@b.example\r\nBcc: c@d.example'), 'is not an email address'],
    ['two in one', friend('a@b.example,c@d.example'), 'is not an email address'],
    ['a long one', friend(`${'a'.repeat(4_000)}@b.example`), 'is not an email address'],
    ['a name with an address', [...friend('a@b.example'), ['name', 'evil.example']], 'name in letters only'],
    ['a name with digits', [...friend('a@b.example'), ['name', 'call 0800']], 'name in letters only'],
    ['a name of two lines', [...friend('a@b.example'), ['name', 'A\r\nBcc: c@d.example']], 'name in letters'],
    ['a name with a tag', [...friend('a@b.example'), ['name', '[[FLD.1]]']], 'name in letters only'],
    ['a long name', [...friend('a@b.example'), ['name', 'a'.repeat(41)]], 'name in letters only'],
  ] as [string, Fields, string][])('400 with the form again for %s', async (_, fields, problem) => {
    const reply = await post(fields);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(problem);
    expect(reply.text).toContain('<form method="post">');
    expect(await stored()).toEqual([]);
  });

  it('400 shows what was written as text, not as HTML', async () => {
    const evil = '"><script>alert(1)</script>';
    const reply = await post([...friend(evil, 'a@b.example'), ['name', evil]]);
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain('<script>');
    expect(reply.text).toContain('&quot;&gt;&lt;script&gt;');
    expect(reply.text).toContain('value="a@b.example"');
  });

  it.each([
    ['JSON', JSON.stringify({ friend: 'a@b.example' }), 'application/json'],
    ['no form', 'hello', 'text/plain'],
    ['a form of others', 'x=y', 'application/x-www-form-urlencoded'],
    ['six friends', 'friend=a%40b.example&'.repeat(6), 'application/x-www-form-urlencoded'],
    ['a multipart form', '--x\r\n', 'multipart/form-data; boundary=x'],
  ])('400 for %s', async (_, body, type) => {
    const reply = await post([], {}, { body, headers: { 'content-type': type } });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('Nothing was changed')]);
    expect(await stored()).toEqual([]);
  });

  it('413 for a body that is too large', async () => {
    const reply = await post([...friend('a@b.example'), ['name', 'a'.repeat(10_000)]]);
    expect(reply.status).toBe(413);
    expect(await stored()).toEqual([]);
  });

  it('404 when the content of the sending is no longer stored, or its site no longer exists', async () => {
    const { idsSent } = await makeJob(test.db);
    for (const whose of [{ idSent: idsSent[0]! }, { idSent: 999_999 }, { idSite: 9_999 }]) {
      expect((await post(friend('a@b.example'), whose)).status).toBe(404);
    }
    expect(await stored()).toEqual([]);
  });

  it('410 when the message has expired', async () => {
    const expires = JSON.stringify(test.clock.now().toISOString());
    await test.db.run(sql`
      update ${test.db.t.job} set frozen = jsonb_set(frozen, '{source,expires}', ${expires}::jsonb)
      where id = (select id_job from ${test.db.t.sent} where id = ${idSent})`);
    const reply = await post(friend('a@b.example'));
    expect([reply.status, reply.text]).toEqual([410, expect.stringContaining('has expired')]);
    expect(await stored()).toEqual([]);
  });

  it('429 over 10 friends of one message, and over 20 a day of one reader; nothing more is stored', async () => {
    const idSubscriber = 20;
    const five = (from: number) => friend(...[1, 2, 3, 4, 5].map((n) => `f${from + n}@b.example`));
    expect((await post(five(0), { idSubscriber })).status).toBe(200);
    expect((await post(five(5), { idSubscriber })).status).toBe(200);
    const over = await post(friend('f11@b.example'), { idSubscriber });
    expect([over.status, over.text]).toEqual([429, expect.stringContaining('Nothing was sent')]);
    // An address that was already requested does not count again.
    expect((await post(five(5), { idSubscriber })).status).toBe(200);
    expect(await stored()).toHaveLength(10);
    const first = idSent;
    idSent = await frozenSent();
    expect((await post(five(20), { idSubscriber })).status).toBe(200);
    expect((await post(five(25), { idSubscriber })).status).toBe(200);
    idSent = await frozenSent();
    expect((await post(friend('g@b.example'), { idSubscriber })).status).toBe(429);
    test.clock.advance(25 * hour);
    expect((await post(friend('g@b.example'), { idSubscriber })).status).toBe(200);
    expect(first).not.toBe(idSent);
  });

  it('lets ten requests at once of one reader have no more than ten friends', async () => {
    const idSubscriber = 30;
    const posts = Array.from({ length: 10 }, (_, n) =>
      post(friend(`p${n}@b.example`, `q${n}@b.example`), { idSubscriber }),
    );
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(await stored()).toHaveLength(10);
  });

  it('429 for more than 60 requests a minute of one address', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 62; n++) statuses.push((await post(friend('bad'))).status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 400), 429, 429]);
  });

  it('counts the readers behind a trusted proxy one by one, an IPv6 network as one', async () => {
    const config = { ...test.app.config, trustedProxies: parseNetworks('127.0.0.1') };
    const behind = await trackingServer({ ...test.app, config });
    try {
      const statusFrom = async (from: string) => {
        const init = { method: 'POST', body: new URLSearchParams([['friend', 'bad']]) };
        return (await fetch(behind.url + pageOf(), { ...init, headers: { 'x-forwarded-for': from } })).status;
      };
      const statuses: number[] = [];
      for (let n = 0; n < 61; n++) statuses.push(await statusFrom(`2001:db8:1:2::${n.toString(16)}`));
      expect(statuses.slice(59)).toEqual([400, 429]);
      expect(await statusFrom('2001:db8:1:3::1')).toBe(400);
      expect(await statusFrom('198.51.100.1, 2001:db8:1:2::99')).toBe(429);
    } finally {
      await behind.close();
    }
  });

  it('503 to more at once than may wait, and the database stays free for others', async () => {
    const control = openDatabase({ ...test.connection, max: 5 }, () => undefined);
    const crowded = await trackingServer(appOver(test.app, control));
    const hold = await Hold.of(
      test.connection,
      `lock table ${test.db.site.schema}.forward in access exclusive mode`,
    );
    const ask = (n: number) => {
      const body = new URLSearchParams({ friend: `c${n}@b.example`, name: '' });
      return fetch(crowded.url + pageOf({ idSubscriber: 100 + n }), { method: 'POST', body });
    };
    const posts = Array.from({ length: 60 }, (_, n) => ask(n));
    const first = await Promise.race(posts);
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await control.rows(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await hold.letGo();
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(54);
    expect(statuses.filter((status) => status === 503)).toHaveLength(6);
    await crowded.close();
    await control.pool.end();
  });

  it('503 while the database is unavailable, and asks to try again; nothing is half done', async () => {
    const proxy = await tcpProxy(test.connection);
    const control = openDatabase({ ...proxy.connection, max: 5 }, () => undefined);
    const away = await trackingServer(appOver(test.app, control));
    const request = (method: string) =>
      fetch(away.url + pageOf({ idSubscriber: 40 }), {
        method,
        ...(method === 'POST' && { body: new URLSearchParams({ friend: 'a@b.example', name: '' }) }),
      });
    proxy.cut();
    const reply = await request('POST');
    expect([reply.status, await reply.text()]).toEqual([503, expect.stringContaining('Please try again')]);
    expect((await request('GET')).status).toBe(200);
    expect(await stored()).toEqual([]);
    proxy.restore();
    expect((await request('POST')).status).toBe(200);
    expect(await stored()).toHaveLength(1);
    await away.close();
    await control.pool.end();
    await proxy.close();
  });
});

describe('who is in the database', () => {
  it.each([
    ['unsubscribed', sql`fld7 = 1`],
    ['hard-bounced', sql`fld44 = 2`],
    ['complained', sql`fld44 = 3`],
  ])('is not revealed by the response, nor by the limit: %s', async (state, change) => {
    const email = `${state}@known.example`;
    await test.db.run(sql`insert into ${test.db.t.subscriber} (fld1) values (${email.toUpperCase()})`);
    await test.db.run(sql`update ${test.db.t.subscriber} set ${change} where lower(fld1) = ${email}`);
    const idSubscriber = 50;
    const unknown = await post(friend(`not-${email}`), { idSubscriber });
    const known = await post(friend(email), { idSubscriber });
    // The id of a request says nothing: every answer has its own.
    const ofAnswer = ({ headers }: typeof known) =>
      Object.fromEntries([...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'));
    const [answer, other] = [ofAnswer(unknown), ofAnswer(known)];
    expect([known.status, known.text, other]).toEqual([unknown.status, unknown.text, answer]);
    const { pending, cancelled } = singleStates;
    expect((await stored()).map(({ state, friend }) => [state, friend])).toEqual([
      [pending, `not-${email}`],
      [cancelled, null],
    ]);
    const more = [1, 2, 3, 4].map((n) => `m${n}-${email}`);
    await post(friend(...more), { idSubscriber });
    await post(friend(...more.map((one) => `x${one}`)), { idSubscriber });
    expect(await stored()).toHaveLength(10);
    expect((await post(friend('one-more@b.example'), { idSubscriber })).status).toBe(429);
    test.clock.advance(25 * hour);
  });

  it('also consults the archive: a deleted subscriber stays barred until they are back', async () => {
    const { pending, cancelled } = singleStates;
    const fields = await listFields(test.db);
    const add = async (email: string, status: number) => {
      const { id } = await test.db.one<{ id: number }>(sql`
        insert into ${test.db.t.subscriber} (fld1, fld7) values (${email}, ${status}) returning fld0 as id`);
      return id;
    };
    await add('who-stays@deleted.example', 0);
    const emails = ['gone', 'left', 'came-back', 'back-then-deleted'].map(
      (name) => `${name}@deleted.example`,
    );
    const [gone, left, cameBack, backThenDeleted] = emails as [string, string, string, string];
    const ids: number[] = [];
    for (const [email, status] of [
      [gone, 1],
      [left, 0],
      [cameBack, 1],
      [backThenDeleted, 1],
    ] as const)
      ids.push(await add(email.toUpperCase(), status));
    expect(await archiveSubscribers(test.db, ids, fields, test.clock.now())).toEqual(ids);
    await add(cameBack, 0);
    const again = await add(backThenDeleted, 0);
    await archiveSubscribers(test.db, [again], fields, test.clock.now());
    expect((await post(friend(...emails), { idSubscriber: 55 })).status).toBe(200);
    expect((await stored()).map(({ state }) => state)).toEqual([cancelled, pending, pending, pending]);
    test.clock.advance(25 * hour);
  });

  it('gets a message of one sent from one friend only, and three in a day', async () => {
    const email = 'popular@friends.example';
    const { pending, cancelled } = singleStates;
    const statesNow = async () => (await stored()).map(({ state }) => state);
    for (const idSubscriber of [61, 62])
      expect((await post(friend(email), { idSubscriber })).status).toBe(200);
    expect(await statesNow()).toEqual([pending, cancelled]);
    for (const expected of [pending, pending, cancelled]) {
      idSent = await frozenSent();
      expect((await post(friend(email), { idSubscriber: 63 })).status).toBe(200);
      expect(await statesNow()).toEqual([expected]);
    }
    test.clock.advance(25 * hour);
    idSent = await frozenSent();
    await post(friend(email), { idSubscriber: 63 });
    expect(await statesNow()).toEqual([pending]);
  });
});
