import { gzipSync } from 'node:zlib';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readToken } from '../../activity/link-token.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { describeWith } from '../../testing/daemon.ts';
import { freePort } from '../../testing/free-port.ts';
import { makeReadyCampaign } from '../../testing/sending-campaign.ts';
import {
  gtube,
  rspamdResponse,
  type ScriptedEngine,
  saying,
  sayingForEver,
  scriptedEngine,
  spamdResponse,
  startEngines,
} from '../../testing/spam-engines.ts';
import { until } from '../../testing/until.ts';

const compute = (t: TestApp, body: object, as: 'reader' | 'editor' = 'editor') =>
  t.call('POST', '/campaigns/spam-score/segment', { body, as });
const scoreOf = async (t: TestApp, idCampaign: number, more: object = {}) => {
  const reply = await compute(t, { idCampaign, segmentPosition: 1, ...more });
  expect(reply.error).toBe(null);
  return reply.data as unknown as {
    score: string | null;
    details: string;
    extRetroSpamScore: string | null;
    extRetroSpamState: string | null;
    extRetroSpamCause: string[] | null;
  };
};
const segmentOf = async (t: TestApp, idCampaign: number) =>
  (await t.call('GET', `/campaigns/${idCampaign}/segments/1`)).data;
const changePreheader = async (t: TestApp, id: number) =>
  expect((await t.call('PUT', '/campaigns', { body: { id, parameters: {}, preheader: 'New' } })).error).toBe(
    null,
  );
const unscored = { lastSpamScore: null, lastVRSpamScore: null, isSpamScoreValid: false };

describe('computeSegmentSpamScore without an engine', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('422 while the site has nobody who may receive mail', async () => {
    const idCampaign = await makeReadyCampaign(t.db);
    expect(await compute(t, { idCampaign, segmentPosition: 1 })).toMatchObject({
      status: 422,
      error: 'idSubscriber: the site has no subscriber who may receive mail; create one first',
    });
    await makeSubscribers(t.db, [1]);
  });

  it('200 null and the reasons, and invents no score', async () => {
    const idCampaign = await makeReadyCampaign(t.db);
    expect(await scoreOf(t, idCampaign)).toEqual({
      score: null,
      details:
        'SpamAssassin gave no score: an operator has not set FACTEUR_SPAMD_ADDRESS\n' +
        'Rspamd gave no score: an operator has not set FACTEUR_RSPAMD_URL',
      extRetroSpamScore: null,
      extRetroSpamState: null,
      extRetroSpamCause: null,
    });
    expect(await segmentOf(t, idCampaign)).toMatchObject(unscored);
    expect((await t.call('GET', `/campaigns/${idCampaign}/checklist`)).data).toMatchObject({
      isCampaignReady: true,
      hasSpamscore: false,
    });
  });

  it('403 for a reader: scores are kept', async () => {
    expect((await compute(t, { idCampaign: 1, segmentPosition: 1 }, 'reader')).status).toBe(403);
  });

  it('404 for an unknown campaign, segment or subscriber', async () => {
    const idCampaign = await makeReadyCampaign(t.db);
    const errors = [
      { idCampaign: 999_999, segmentPosition: 1 },
      { idCampaign, segmentPosition: 2 },
      { idCampaign, segmentPosition: 1, idSubscriber: 999_999 },
    ].map(async (body) => (await compute(t, body)).error);
    expect(await Promise.all(errors)).toEqual([
      'Campaign not found',
      'Segment not found',
      'idSubscriber: Subscriber not found',
    ]);
  });

  it('422 for an excluded segment, and for a message that cannot be made', async () => {
    const idTarget = await makeTarget(t.db);
    const excluded = await makeCampaign(t.db);
    await makeSegment(t.db, excluded, { idTarget, isExcluded: true });
    const broken = await makeReadyCampaign(t.db, { htmlContent: '<p>[[FLD.999]]</p>' });
    const replies = [excluded, broken].map((idCampaign) => compute(t, { idCampaign, segmentPosition: 1 }));
    const [first, second] = await Promise.all(replies);
    expect(first).toMatchObject({ status: 422, error: 'Segment 1 is excluded: it has no message' });
    expect(second).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^The message cannot be made: .*no field 999/),
    });
  });

  it('422 for a subscriber whose address fits no header', async () => {
    const idCampaign = await makeReadyCampaign(t.db);
    await t.db.run(sql`insert into ${t.db.t.subscriber} (fld0, fld1) values (77, 'a b')`);
    expect(await compute(t, { idCampaign, segmentPosition: 1, idSubscriber: 77 })).toMatchObject({
      status: 422,
      error: expect.stringContaining('cannot be made for subscriber 77'),
    });
  });
});

describe('computeSegmentSpamScore with engines that misbehave', () => {
  let spamd: ScriptedEngine;
  let rspamd: ScriptedEngine;
  let t: TestApp;
  beforeAll(async () => {
    [spamd, rspamd] = [await scriptedEngine(), await scriptedEngine()];
    t = await testApp({
      config: {
        spamdAddress: { host: '127.0.0.1', port: spamd.port },
        rspamdUrl: `http://127.0.0.1:${rspamd.port}`,
      },
    });
    await makeSubscribers(t.db, [1]);
  });
  afterAll(async () => {
    await t.close();
    await spamd.close();
    await rspamd.close();
  });

  const header = 'SPAMD/1.1 0 EX_OK\r\n';
  const plain = { score: 2.5, action: 'no action', symbols: {} };
  const notUnderstood = 'its response is not understood';
  const tooLong = 'its response is larger than 262144 bytes';

  it.each([
    ['words', saying('hello'), notUnderstood],
    ['nothing', saying(''), notUnderstood],
    ['another protocol', saying('HTTP/1.1 200 OK\r\n\r\n'), notUnderstood],
    ['a head without a score', saying(`${header}Content-length: 0\r\n\r\n`), notUnderstood],
    ['a score of words', saying(spamdResponse('high')), notUnderstood],
    ['a part of a report', saying(spamdResponse('1.0').slice(0, -1)), notUnderstood],
    ['an error', saying('SPAMD/1.0 76 EX_PROTOCOL\r\n\r\n'), 'it reports the error 76 EX_PROTOCOL'],
    ['bytes without an end', sayingForEver(header), tooLong],
    ['no response', (socket) => socket.resetAndDestroy(), 'it cannot be reached (ECONNRESET)'],
  ] satisfies [string, ScriptedEngine['answer'], string][])('200 null when spamd sends %s', async (...of) => {
    const [, answer, reason] = of;
    spamd.answer = answer;
    rspamd.answer = saying(rspamdResponse(plain));
    const idCampaign = await makeReadyCampaign(t.db);
    expect(await scoreOf(t, idCampaign)).toMatchObject({
      score: null,
      details: `SpamAssassin gave no score: ${reason}`,
      extRetroSpamScore: '2.5',
    });
    // What Rspamd says is kept, but is no spam score by itself.
    expect(await segmentOf(t, idCampaign)).toMatchObject({
      lastSpamScore: null,
      lastVRSpamScore: 2.5,
      isSpamScoreValid: false,
    });
  });

  const zipped = gzipSync(JSON.stringify(plain));
  const zippedHead = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`;

  it.each([
    ['words', saying(rspamdResponse('hello')), notUnderstood],
    ['JSON of another shape', saying(rspamdResponse([1])), notUnderstood],
    ['a score of words', saying(rspamdResponse({ ...plain, score: 'NaN' })), notUnderstood],
    ['an action with markup', saying(rspamdResponse({ ...plain, action: '<b>' })), notUnderstood],
    ['an error', saying(rspamdResponse('', '500 Oops')), 'it returns HTTP 500'],
    ['another address', saying(rspamdResponse('', '302 Found\r\nlocation: /')), 'it returns HTTP 302'],
    [
      'that it skipped the message',
      saying(rspamdResponse({ ...plain, is_skipped: true })),
      'its settings let it skip the message',
    ],
    ['bytes without an end', sayingForEver('HTTP/1.1 200 OK\r\n\r\n'), tooLong],
    [
      'headers without an end',
      sayingForEver('HTTP/1.1 200 OK\r\nx: '),
      'it cannot be reached (HPE_HEADER_OVERFLOW)',
    ],
    ['bytes that are packed', saying(Buffer.concat([Buffer.from(zippedHead), zipped])), notUnderstood],
  ] satisfies [string, ScriptedEngine['answer'], string][])(
    '200 null when Rspamd sends %s',
    async (...of) => {
      const [, answer, reason] = of;
      spamd.answer = saying(spamdResponse('1.5', 'A report'));
      rspamd.answer = answer;
      const { details, ...score } = await scoreOf(t, await makeReadyCampaign(t.db));
      expect(score).toEqual({
        score: '1.5',
        extRetroSpamScore: null,
        extRetroSpamState: null,
        extRetroSpamCause: null,
      });
      const [report, said = ''] = details.split('\nRspamd gave no score: ');
      expect(report).toBe('A report');
      expect(said).toBe(reason);
    },
  );

  it('200 the rules of Rspamd, those with most points first', async () => {
    spamd.answer = saying(spamdResponse('-0.0'));
    const symbols = {
      NOTHING: { score: 0 },
      GOOD: { score: -1, description: 'A good sign' },
      BAD: { score: 3.5, description: 'b'.repeat(1_000) },
    };
    rspamd.answer = saying(rspamdResponse({ score: 2.5, action: 'add header', symbols }));
    expect(await scoreOf(t, await makeReadyCampaign(t.db))).toEqual({
      score: '0',
      details: 'A report',
      extRetroSpamScore: '2.5',
      extRetroSpamState: 'add header',
      extRetroSpamCause: [`BAD (3.5): ${'b'.repeat(289)}`, 'GOOD (-1): A good sign'],
    });
  });

  it('sends engines the signed message, whose links name neither the subscriber nor a sending', async () => {
    const path = '/admin/v1/sites/demo/sending-domains';
    expect((await t.call('POST', path, { body: { domain: 'example.com' } })).error).toBe(null);
    let request = '';
    spamd.answer = (socket) => {
      socket.on('data', (data: Buffer) => {
        request += data.toString('latin1');
      });
      socket.once('end', () => socket.end(spamdResponse('1.0')));
    };
    const idCampaign = await makeReadyCampaign(t.db, {
      htmlContent: '<p>Hello [[FLD.1]], number [[CONF.8]]</p>',
    });
    await scoreOf(t, idCampaign);
    const message = request.slice(request.indexOf('\r\n\r\n') + 4);
    expect(message).toMatch(/^DKIM-Signature: /);
    const { html = '', headers } = await PostalMime.parse(message);
    expect(html).toContain('Hello 1@example.org, number 0');
    const unsubscribe = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const tokens = [...`${html}${unsubscribe}`.matchAll(/\/(o|u)\/([\w-]+)/g)];
    expect(tokens.map(([, kind]) => kind).toSorted()).toEqual(['o', 'u', 'u']);
    for (const [, kind, text] of tokens)
      expect(readToken(t.app.secrets, kind === 'o' ? 'open' : 'unsub', text!)).toMatchObject({
        idSent: 0,
        idSubscriber: 0,
      });
  });

  it('keeps the score of an engine that fails the next time, while the message is the same', async () => {
    const idCampaign = await makeReadyCampaign(t.db);
    spamd.answer = saying(spamdResponse('1.5'));
    rspamd.answer = saying(rspamdResponse(plain));
    await scoreOf(t, idCampaign);
    spamd.answer = saying('');
    rspamd.answer = saying(rspamdResponse({ ...plain, score: 3 }));
    await scoreOf(t, idCampaign);
    const both = { lastSpamScore: 1.5, lastVRSpamScore: 3, isSpamScoreValid: true };
    expect(await segmentOf(t, idCampaign)).toMatchObject(both);
    await changePreheader(t, idCampaign);
    await scoreOf(t, idCampaign);
    expect(await segmentOf(t, idCampaign)).toMatchObject({
      ...both,
      lastSpamScore: null,
      isSpamScoreValid: false,
    });
  });

  it('does not let a slow call undo what a later one found', async () => {
    const idCampaign = await makeReadyCampaign(t.db);
    const held: (() => void)[] = [];
    rspamd.answer = saying(rspamdResponse(plain));
    spamd.answer = (socket) => {
      socket.resume();
      held.push(() => socket.end(spamdResponse('1.5')));
    };
    const slow = scoreOf(t, idCampaign);
    await until(() => held.length === 1, 'the first call to ask');
    t.clock.set('2026-11-20T10:00:01Z');
    await changePreheader(t, idCampaign);
    spamd.answer = saying(spamdResponse('4.5'));
    await scoreOf(t, idCampaign);
    held[0]!();
    expect((await slow).score).toBe('1.5');
    expect(await segmentOf(t, idCampaign)).toMatchObject({ lastSpamScore: 4.5, isSpamScoreValid: true });
  });
});

describe('computeSegmentSpamScore with engines that are unavailable', () => {
  it('200 null for one that hangs and one that does not exist, within the limit', async () => {
    const hung = await scriptedEngine();
    hung.answer = () => undefined;
    const t = await testApp({
      config: {
        spamdAddress: { host: '127.0.0.1', port: hung.port },
        rspamdUrl: `http://127.0.0.1:${await freePort()}`,
        spamLimitMs: 1_000,
      },
    });
    try {
      await makeSubscribers(t.db, [1]);
      expect((await scoreOf(t, await makeReadyCampaign(t.db))).details).toBe(
        'SpamAssassin gave no score: no complete response within 1 seconds\n' +
          'Rspamd gave no score: it cannot be reached (ECONNREFUSED)',
      );
    } finally {
      await t.close();
      await hung.close();
    }
  });
});

describeWith('spamd', 'computeSegmentSpamScore', () =>
  describeWith('rspamd', 'with SpamAssassin and Rspamd', () => {
    let engines: Awaited<ReturnType<typeof startEngines>>;
    let t: TestApp;
    beforeAll(async () => {
      engines = await startEngines();
      t = await testApp({ config: engines.config });
      await addCustomFields(t.db);
      await makeSubscribers(t.db, [1, 2]);
    });
    afterAll(async () => {
      await t.close();
      await engines.close();
    });

    const plainHtml =
      '<html><body><h1>News of the garden</h1><p>Hello [[FLD.1]], the tulips are out, and the shed is open on ' +
      'Saturday from nine to noon. <a href="https://garden.example/news">Read on</a></p></body></html>';

    it('200 a low score for a plain newsletter, kept with the segment', async () => {
      const idCampaign = await makeReadyCampaign(t.db, {
        htmlContent: plainHtml,
        parameters: { name: 'a', subject: 'News of the garden' },
      });
      const { score, details, extRetroSpamScore, extRetroSpamState } = await scoreOf(t, idCampaign);
      expect(Number(score)).toBeLessThan(5);
      expect(details).toContain('Content analysis details');
      expect(Number(extRetroSpamScore)).toBeLessThan(6);
      expect(extRetroSpamState).toBe('no action');
      expect(await segmentOf(t, idCampaign)).toMatchObject({
        lastSpamScore: Number(score),
        lastVRSpamScore: Number(extRetroSpamScore),
        isSpamScoreValid: true,
      });
      expect((await t.call('GET', `/campaigns/${idCampaign}/checklist`)).data).toMatchObject({
        hasSpamscore: true,
      });
    });

    it('200 a high score for the text that all engines know as spam', async () => {
      const idCampaign = await makeReadyCampaign(t.db, {
        htmlContent: plainHtml,
        textContent: gtube,
        parameters: { name: 'a', hasTextMessage: true },
      });
      const { score, details, extRetroSpamScore, extRetroSpamState } = await scoreOf(t, idCampaign);
      expect(Number(score)).toBeGreaterThan(500);
      expect(details).toContain('GTUBE');
      expect(Number(extRetroSpamScore)).toBeGreaterThanOrEqual(15);
      expect(extRetroSpamState).toBe('reject');
    });

    it('200 for the message of the subscriber who is simulated, also twice at once', async () => {
      const idCampaign = await makeReadyCampaign(t.db, {
        htmlContent: plainHtml,
        textContent: '[[FLD.101]]',
        parameters: { name: 'a', hasTextMessage: true },
      });
      await t.db.run(sql`update ${t.db.t.subscriber} set fld101 = ${gtube} where fld0 = 2`);
      const [one, two] = await Promise.all([
        scoreOf(t, idCampaign, { idSubscriber: 0 }),
        scoreOf(t, idCampaign, { idSubscriber: 2 }),
      ]);
      expect(Number(one.score)).toBeLessThan(10);
      expect(Number(two.score)).toBeGreaterThan(500);
      expect(await segmentOf(t, idCampaign)).toMatchObject({ isSpamScoreValid: true });
    });
  }),
);
