import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countersOfSents } from '../activity/counter-store.ts';
import { hitKinds } from '../activity/hit.ts';
import { makeToken } from '../activity/link-token.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { frozenJob } from '../testing/make-sending.ts';
import { makeJob } from '../testing/make-sent.ts';
import { browser, type TrackingServer, trackingServer } from '../testing/tracking-server.ts';

let test: TestApp;
let server: TrackingServer;
let idSent: number;
let made = 0;

beforeAll(async () => {
  test = await testApp({ operations: [] });
  server = await trackingServer(test.app);
  idSent = (await makeJob(test.db)).idsSent[0]!;
});
afterAll(async () => {
  await server.close();
  await test.close();
});

async function addSubscriber(): Promise<number> {
  const { id } = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.subscriber} (fld1) values (${`reader${++made}@example.com`}) returning fld0 as id`);
  return id;
}

async function statusOf(id: number): Promise<[number, Date | null]> {
  const row = await test.db.one<{ fld7: number; fld4: Date | null }>(sql`
    select fld7, fld4 from ${test.db.t.subscriber} where fld0 = ${id}`);
  return [row.fld7, row.fld4];
}

async function unsubs(): Promise<number> {
  return (await countersOfSents(test.db, [idSent])).get(idSent)!.nbUnsubs;
}

function addressOf(idSubscriber: number): string {
  const ids = { idSite: test.db.site.id, idSent, idSubscriber };
  return `${server.url}/u/${makeToken(test.app.secrets, { kind: 'unsub', ...ids })}`;
}

function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': browser };
  return fetch(url, { method: 'POST', body, redirect: 'manual', headers: { ...form, ...headers } });
}

/** A sending whose messages are frozen with a sender and looks. */
async function frozenSent(looks: object, alias = 'Zoë & <b>'): Promise<number> {
  const { idCampaign, idJob, idsSent } = await makeJob(test.db);
  const frozen = frozenJob(test.db, idCampaign, idJob, idsSent[0]!);
  const from = { ...frozen.source.from, alias };
  const shown = { ...frozen, source: { ...frozen.source, from }, looks };
  await test.db.run(
    sql`update ${test.db.t.job} set frozen = ${JSON.stringify(shown)}::jsonb where id = ${idJob}`,
  );
  return idsSent[0]!;
}

describe('the frame of the page', () => {
  const page = async (sent: number, reader: number) => {
    const ids = { idSite: test.db.site.id, idSent: sent, idSubscriber: reader };
    const address = `${server.url}/u/${makeToken(test.app.secrets, { kind: 'unsub', ...ids })}`;
    const reply = await fetch(address, { headers: { 'user-agent': browser, 'accept-language': 'fr' } });
    return { html: await reply.text(), policy: reply.headers.get('content-security-policy')! };
  };

  it('has the sender, the masked address, the colour and logo of the configuration, in its language', async () => {
    const looks = { pageLanguage: 'it', pageColor: '#ffee00', pageLogo: 'https://cdn.example/l.png' };
    const { html, policy } = await page(await frozenSent(looks), await addSubscriber());
    expect(html).toContain('<html lang="it">');
    expect(html).toContain('Zoë &amp; &lt;b&gt;');
    expect(html).toContain('r•••@example.com');
    expect(html).not.toContain('reader');
    expect(html).toContain('--color:#ffee00');
    expect(html).toContain('src="https://cdn.example/l.png"');
    expect(policy).toContain('img-src https://cdn.example;');
  });

  it('is in the reader’s language when the configuration has none, with the address of a nameless sender', async () => {
    const looks = { pageLanguage: '', pageColor: '', pageLogo: '' };
    const { html } = await page(await frozenSent(looks, ''), await addSubscriber());
    expect(html).toContain('<html lang="fr">');
    expect(html).toContain('news@news.example.com');
  });
});

describe('an unsubscription that was a mistake', () => {
  it('200 is undone within an hour, and counts no more', async () => {
    const reader = await addSubscriber();
    const before = await unsubs();
    expect(await (await post(addressOf(reader), 'confirm=yes')).text()).toContain('name="undo" value="yes"');
    expect((await statusOf(reader))[0]).toBe(1);
    expect(await unsubs()).toBe(before + 1);
    const undone = await post(addressOf(reader), 'undo=yes');
    expect([undone.status, await undone.text()]).toEqual([200, expect.stringContaining('You will continue')]);
    expect(await statusOf(reader)).toEqual([0, null]);
    expect(await unsubs()).toBe(before);
    expect((await post(addressOf(reader), 'undo=yes')).status).toBe(409);
  });

  it('409 later, and where another unsubscription came first', async () => {
    const [late, gone] = [await addSubscriber(), await addSubscriber()];
    await post(addressOf(late), 'confirm=yes');
    await test.db.run(
      sql`update ${test.db.t.subscriber} set fld7 = 1, fld4 = '2020-01-01' where fld0 = ${gone}`,
    );
    await post(addressOf(gone), 'confirm=yes');
    expect((await post(addressOf(gone), 'undo=yes')).status).toBe(409);
    expect((await statusOf(gone))[0]).toBe(1);
    test.clock.advance(3_600_000);
    expect((await post(addressOf(late), 'undo=yes')).status).toBe(409);
    expect((await statusOf(late))[0]).toBe(1);
  });
});

describe('the unsubscribe page', () => {
  it('200 with a button, changes nothing, and counts as a click on the unsubscription', async () => {
    const reader = await addSubscriber();
    const reply = await fetch(addressOf(reader), { headers: { 'user-agent': browser } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(reply.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(await reply.text()).toContain('<button name="confirm" value="yes">Unsubscribe</button>');
    expect(await statusOf(reader)).toEqual([0, null]);
    await server.settle();
    const hits = await test.db.rows(sql`select kind from ${test.db.t.hit} where id_subscriber = ${reader}`);
    expect(hits).toEqual([{ kind: hitKinds.unsubscription }]);
  });

  it('200 to HEAD and to scanners, who change nothing either', async () => {
    const reader = await addSubscriber();
    for (const method of ['HEAD', 'GET']) {
      for (const query of ['', '?confirm=yes', '?List-Unsubscribe=One-Click', '?jo=1']) {
        const reply = await fetch(addressOf(reader) + query, {
          method,
          headers: { 'user-agent': 'curl/8.1' },
        });
        expect(reply.status).toBe(200);
      }
    }
    expect(await statusOf(reader)).toEqual([0, null]);
  });

  it('200 in French for those who read it', async () => {
    const headers = { 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.8' };
    const reply = await fetch(addressOf(1), { headers });
    expect(reply.headers.get('content-language')).toBe('fr');
    expect(await reply.text()).toContain('<html lang="fr">');
  });

  it('200 and unsubscribes when its button is pressed', async () => {
    const reader = await addSubscriber();
    const reply = await post(addressOf(reader), 'confirm=yes');
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('You will no longer receive our messages');
    expect(await statusOf(reader)).toEqual([1, test.clock.now()]);
  });
});

describe('the unsubscribe link of a test mailing', () => {
  it('200 with its page, and unsubscribes nobody, whichever way it is used', async () => {
    const reader = await addSubscriber();
    const made = await makeJob(test.db, { isTest: true });
    const ids = { idSite: test.db.site.id, idSent: made.idsSent[0]!, idSubscriber: reader };
    const address = `${server.url}/u/${makeToken(test.app.secrets, { kind: 'unsub', ...ids })}`;
    const page = await fetch(address, { headers: { 'user-agent': browser } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Unsubscribe</button>')]);
    for (const body of ['confirm=yes', 'List-Unsubscribe=One-Click']) {
      const reply = await post(address, body);
      expect([reply.status, await reply.text()]).toEqual([
        200,
        expect.stringContaining('no one was unsubscribed'),
      ]);
    }
    await server.settle();
    expect(await statusOf(reader)).toEqual([0, null]);
    expect((await countersOfSents(test.db, [ids.idSent])).get(ids.idSent)!.nbUnsubs).toBe(0);
  });
});

describe('one-click unsubscription (RFC 8058)', () => {
  it.each(['', 'curl/8.1', 'Java/17', 'Go-http-client/2.0', 'Mozilla/5.0', 'Googlebot/2.1', browser])(
    '200 and unsubscribes, whatever the user agent: %j',
    async (userAgent) => {
      const reader = await addSubscriber();
      const before = await unsubs();
      const reply = await post(addressOf(reader), 'List-Unsubscribe=One-Click', { 'user-agent': userAgent });
      expect([reply.status, reply.redirected]).toEqual([200, false]);
      expect(await statusOf(reader)).toEqual([1, test.clock.now()]);
      expect(await unsubs()).toBe(before + 1);
    },
  );

  it('200 for a multipart body', async () => {
    const reader = await addSubscriber();
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    expect((await fetch(addressOf(reader), { method: 'POST', body: form })).status).toBe(200);
    expect(await statusOf(reader)).toEqual([1, test.clock.now()]);
  });

  it('200 again and again, with one effect', async () => {
    const reader = await addSubscriber();
    const before = await unsubs();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => post(addressOf(reader), 'List-Unsubscribe=One-Click')),
    );
    const first = await statusOf(reader);
    test.clock.advance(60_000);
    const last = await post(addressOf(reader), 'List-Unsubscribe=One-Click');
    expect([...replies, last].map((reply) => reply.status)).toEqual(Array(11).fill(200));
    expect(await unsubs()).toBe(before + 1);
    expect(await statusOf(reader)).toEqual(first);
  });

  it('200 with the same page for a reader who no longer exists', async () => {
    const [known, gone] = await Promise.all([
      post(addressOf(await addSubscriber()), 'List-Unsubscribe=One-Click'),
      post(addressOf(999_999), 'List-Unsubscribe=One-Click'),
    ]);
    expect([gone.status, await gone.text()]).toEqual([known.status, await known.text()]);
  });

  it('400 for any other body, and nothing happens', async () => {
    const reader = await addSubscriber();
    for (const body of ['', 'x=1', 'List-Unsubscribe=', '{"List-Unsubscribe":"One-Click"}']) {
      const reply = await post(addressOf(reader), body);
      expect(reply.status).toBe(400);
      expect(await reply.text()).toContain('Nothing was changed');
    }
    expect(await statusOf(reader)).toEqual([0, null]);
  });

  it('413 for a body that is not our form', async () => {
    const reader = await addSubscriber();
    for (const length of [100_000, 5_000_000]) {
      const reply = await post(addressOf(reader), `List-Unsubscribe=One-Click&x=${'y'.repeat(length)}`);
      expect(reply.status).toBe(413);
    }
    expect(await statusOf(reader)).toEqual([0, null]);
  });

  it('does nothing for a body that was cut, though what came was enough', async () => {
    const reader = await addSubscriber();
    const { hostname, port, pathname } = new URL(addressOf(reader));
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nList-Unsubscribe=One-Click`,
    );
    await new Promise<void>((resolve) => socket.end(resolve));
    await once(socket.resume(), 'close');
    expect((await fetch(addressOf(reader), { headers: { 'user-agent': browser } })).status).toBe(200);
    expect(await statusOf(reader)).toEqual([0, null]);
  });

  it('404 for a forged token and for a token of another kind', async () => {
    const reader = await addSubscriber();
    const ids = { idSite: test.db.site.id, idSent, idSubscriber: reader };
    const mirror = makeToken(test.app.secrets, { kind: 'mirror', ...ids });
    for (const token of [mirror, mirror.slice(1), `${addressOf(reader).split('/u/')[1]}x`]) {
      const reply = await post(`${server.url}/u/${token}`, 'List-Unsubscribe=One-Click');
      expect(reply.status).toBe(404);
    }
    expect(await statusOf(reader)).toEqual([0, null]);
  });
});
