import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { type LinkToken, makeToken, readToken } from '../activity/link-token.ts';
import { maxFilledBytes } from '../contents/tag-filler.ts';
import { sql } from '../platform/db/sql.ts';
import type { FrozenJob } from '../sending/frozen-job.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeJob } from '../testing/make-sent.ts';
import { browser, type TrackingServer, trackingServer } from '../testing/tracking-server.ts';

let test: TestApp;
let server: TrackingServer;
let idReader: number;
beforeAll(async () => {
  test = await testApp({ operations: [] });
  server = await trackingServer(test.app);
  const { id } = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.subscriber} (fld1, fld5, fld43)
    values ('reader@example.com', 'Zoé <b>& Cie</b>', 9007199254740993) returning fld0 as id`);
  idReader = id;
});
afterAll(async () => {
  await server.close();
  await test.close();
});

const shop = 'https://shop.example/?id=[[FLD.0]]&name=[[FLD.5]]&m=[[CONF.9]]&s=[[CONF.7]]';

/** A sending whose job is frozen with these contents and one tracked link. */
async function makeFrozen(contents: { html?: string; text?: string; url?: string; expires?: string }) {
  const { html = '', text = '', url = shop, expires } = contents;
  const { idCampaign, idJob, idsSent } = await makeJob(test.db);
  const idSent = idsSent[0]!;
  const link = await test.db.one<{ id: number }>(sql`
    insert into ${test.db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${idCampaign}, ${url}, ${url}, 'campaign', '{}', now()) returning id`);
  const conf = {
    idSite: 'demo',
    idCampaign,
    campaignName: 'News',
    idJob,
    idSegment: 1,
    segmentName: 'All',
    idSent,
    date: '2026-11-20T09:00:00.000Z',
  };
  const frozen: FrozenJob = {
    source: {
      from: { email: 'news@example.com', alias: '' },
      replyTo: null,
      recipientAlias: '',
      html,
      text,
      links: [{ url, id: link.id }],
      hasPixel: true,
      hasListUnsubscribe: true,
      listId: '',
      feedbackId: '',
      messageIdDomain: 'mail.test',
      ...(expires !== undefined && { expires }),
      fields: [
        { id: 0, fieldType: 'Integer' },
        { id: 5, fieldType: 'Text' },
        { id: 43, fieldType: 'Integer' },
      ],
    },
    sents: [{ subject: 'Hello', conf }],
    sendingSpeed: 0,
    bounceDomain: 'mail.test',
    publicUrl: 'http://mail.test',
  };
  await test.db.run(sql`update ${test.db.t.job} set frozen = ${JSON.stringify(frozen)} where id = ${idJob}`);
  return { idSent, idLink: link.id };
}

function get(
  kind: 'mirror' | 'click' | 'unsub',
  idSent: number,
  of: Partial<LinkToken> = {},
): Promise<Response> {
  const ids = { idSite: test.db.site.id, idSent, idSubscriber: idReader };
  const text = makeToken(test.app.secrets, { kind, ...ids, ...of });
  const path = { click: 'r', mirror: 'm', unsub: 'u' }[kind];
  return fetch(`${server.url}/${path}/${text}`, { redirect: 'manual', headers: { 'user-agent': browser } });
}

async function hitsOf(idSent: number): Promise<number[]> {
  await server.settle();
  const rows = await test.db.rows<{ kind: number }>(
    sql`select kind from ${test.db.t.hit} where id_sent = ${idSent}`,
  );
  return rows.map((row) => row.kind);
}

describe('the mirror page', () => {
  it('200 shows the reader’s message with their links, without the pixel, and counts', async () => {
    const html =
      `<html><body><p>Dear [[FLD.5]] ([[FLD.43]])</p><a href="${shop.replaceAll('&', '&amp;')}">Shop</a>` +
      '<a href="[[LINK.UNSUB]]">Leave</a></body></html>';
    const { idSent, idLink } = await makeFrozen({ html });
    const reply = await get('mirror', idSent);
    expect(reply.status).toBe(200);
    const page = await reply.text();
    expect(page).toContain('<p>Dear Zoé &lt;b&gt;&amp; Cie&lt;/b&gt; (9007199254740993)</p>');
    expect(page).not.toContain('/o/');
    const ids = { idSite: test.db.site.id, idSent, idSubscriber: idReader };
    const click = /href="http:\/\/mail\.test\/r\/([\w-]+)"/.exec(page)?.[1] ?? '';
    expect(readToken(test.app.secrets, 'click', click)).toEqual({ kind: 'click', ...ids, idLink });
    const leave = /href="http:\/\/mail\.test\/u\/([\w-]+)"/.exec(page)?.[1] ?? '';
    expect(readToken(test.app.secrets, 'unsub', leave)).toEqual({ kind: 'unsub', ...ids });
    expect(await hitsOf(idSent)).toEqual([hitKinds.mirror]);
  });

  it('200 in a sandbox, where a customer’s script can do nothing to us', async () => {
    const { idSent } = await makeFrozen({ html: '<script>alert(1)</script><form action="/u/x">' });
    const policy = (await get('mirror', idSent)).headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox(?! .*allow-(scripts|same-origin|forms))/);
    for (const rule of [
      "default-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toContain('script-src');
  });

  it('200 shows a message of text as text', async () => {
    const { idSent } = await makeFrozen({ text: 'Dear [[FLD.5]],\nsee <script>' });
    const page = await (await get('mirror', idSent)).text();
    expect(page).toContain('Dear Zoé &lt;b&gt;&amp; Cie&lt;/b&gt;,\nsee &lt;script&gt;');
  });

  it('200 escapes conditions and addresses of a text like the rest of it', async () => {
    const text = '[[IF FLD.5 Equal "x"]]a<b[[ELSE]]b<c [[FLD.5]][[END]] http://x.example/?a=[[FLD.5]]&b';
    const { idSent } = await makeFrozen({ text });
    const page = await (await get('mirror', idSent)).text();
    const inAddress = 'Zo%C3%A9%20%3Cb%3E%26%20Cie%3C%2Fb%3E';
    expect(page).toContain(
      `b&lt;c Zoé &lt;b&gt;&amp; Cie&lt;/b&gt; http://x.example/?a=${inAddress}&amp;b</pre>`,
    );
  });

  it.each(['html', 'text'])(
    '404 says so when tags would make a page of %s larger than any message',
    async (kind) => {
      const { id } = await test.db.one<{ id: number }>(sql`
      insert into ${test.db.t.subscriber} (fld1, fld5) values (${`${kind}@example.com`}, ${'<'.repeat(4_000)})
      returning fld0 as id`);
      const most = Math.floor(maxFilledBytes / 4 / 4_000);
      const { idSent } = await makeFrozen({ [kind]: '[[FLD.5]]'.repeat(most + 1) });
      const reply = await get('mirror', idSent, { idSubscriber: id });
      const said = (await reply.text()).slice(0, 2_000);
      expect([reply.status, said]).toEqual([404, expect.stringContaining('too large to be shown')]);
      expect(await hitsOf(idSent)).toEqual([]);
      const { idSent: idSmaller } = await makeFrozen({ [kind]: '[[FLD.5]]'.repeat(most - 1) });
      expect((await get('mirror', idSmaller, { idSubscriber: id })).status).toBe(200);
    },
  );

  it('410 for an expired message, while its links and the unsubscribe link continue working', async () => {
    const expires = new Date(test.clock.now().getTime() + 60_000).toISOString();
    const { idSent, idLink } = await makeFrozen({ html: '<p>Offer of the day</p>', expires });
    expect((await get('mirror', idSent)).status).toBe(200);
    test.clock.advance(60_000);
    const reply = await get('mirror', idSent);
    const page = await reply.text();
    expect([reply.status, page]).toEqual([410, expect.stringContaining('This message has expired')]);
    expect(page).not.toContain('Offer of the day');
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await get('click', idSent, { idLink })).status).toBe(302);
    expect((await get('unsub', idSent)).status).toBe(200);
    const { editorial, mirror, unsubscription } = hitKinds;
    expect((await hitsOf(idSent)).sort()).toEqual([mirror, editorial, unsubscription].sort());
    test.clock.advance(-60_000);
  });

  it('404 for a reader who was deleted, and for a sending whose content is no longer stored', async () => {
    const { idSent } = await makeFrozen({ html: '<p>Hi</p>' });
    expect((await get('mirror', idSent, { idSubscriber: 999_999 })).status).toBe(404);
    const { idsSent } = await makeJob(test.db);
    expect((await get('mirror', idsSent[0]!)).status).toBe(404);
    expect((await get('mirror', 999_999)).status).toBe(404);
    expect(await hitsOf(idSent)).toEqual([]);
  });
});

describe('links with tags', () => {
  it('302 to the address as it is for the reader, values encoded', async () => {
    const { idSent, idLink } = await makeFrozen({ html: '<p>' });
    const reply = await get('click', idSent, { idLink });
    expect(reply.status).toBe(302);
    const message = `demo.${idSent}.${idReader}%40mail.test`;
    expect(reply.headers.get('location')).toBe(
      `https://shop.example/?id=${idReader}&name=Zo%C3%A9%20%3Cb%3E%26%20Cie%3C%2Fb%3E&m=${message}&s=${idSent}`,
    );
    expect(await hitsOf(idSent)).toEqual([hitKinds.editorial]);
  });

  it('302 even for a reader who was deleted, without their data', async () => {
    const { idSent, idLink } = await makeFrozen({
      url: 'https://shop.example/?name=[[FLD.5|you]]&s=[[CONF.7]]',
    });
    const reply = await get('click', idSent, { idLink, idSubscriber: 999_999 });
    expect(reply.headers.get('location')).toBe(`https://shop.example/?name=you&s=${idSent}`);
  });

  it('404 when the filled address is not one that a redirect may lead to', async () => {
    const { idSent, idLink } = await makeFrozen({ url: '[[FLD.5]]://x' });
    expect((await get('click', idSent, { idLink })).status).toBe(404);
  });
});
