import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { describeWith } from '../../testing/daemon.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import {
  gtube,
  type ScriptedEngine,
  saying,
  scriptedEngine,
  spamdResponse,
  startEngines,
} from '../../testing/spam-engines.ts';

interface Score {
  readonly score: string | null;
  readonly details: string;
}
const compute = (t: TestApp, body: object, as: 'reader' | 'editor' = 'editor') =>
  t.call('POST', '/campaigns/spam-score', { body, as });
const scoresOf = async (t: TestApp, idCampaign: number): Promise<readonly Score[]> => {
  const reply = await compute(t, { idCampaign });
  expect(reply.error).toBe(null);
  return reply.data;
};
const validOf = async (t: TestApp, idCampaign: number) =>
  ((await t.call('GET', `/campaigns/${idCampaign}/segments`)).data as { isSpamScoreValid: boolean }[]).map(
    ({ isSpamScoreValid }) => isSpamScoreValid,
  );
const isScored = async (t: TestApp, idCampaign: number) =>
  ((await t.call('GET', `/campaigns/${idCampaign}/checklist`)).data as { hasSpamscore: boolean })
    .hasSpamscore;

describe('computeSpamScores', () => {
  let spamd: ScriptedEngine;
  let t: TestApp;
  beforeAll(async () => {
    spamd = await scriptedEngine();
    t = await testApp({ config: { spamdAddress: { host: '127.0.0.1', port: spamd.port } } });
    await makeSubscribers(t.db, [1]);
  });
  beforeEach(() => {
    spamd.answer = saying(spamdResponse('1.5'));
  });
  afterAll(async () => {
    await t.close();
    await spamd.close();
  });

  /** Two segments, of which the first has an advertisement; a template, tags of names, and a link. */
  async function makeScored() {
    const template = await makeCampaign(t.db, {
      parameters: { name: 'Template', mode: 'Dynamic' },
      htmlContent: '<p>Hello</p><a href="https://a.example/">A</a>[[ENCART.1]]',
    });
    const id = await makeCampaign(t.db, { htmlContent: '', idCampDynamic: template });
    const idTarget = await makeTarget(t.db);
    for (const name of ['One', 'Two']) await makeSegment(t.db, id, { idTarget, name });
    const ad = await makeAd(t.db, '<b>Buy</b>');
    const other = await makeAd(t.db, '<b>Read</b>');
    await change('PUT', `/campaigns/${id}/segments/1/advertisement`, advertise(ad));
    await change('PUT', `/campaigns/${id}/segments/2/advertisement`, advertise(other));
    await change('POST', '/campaigns/tracked-links', id);
    const read = (await t.call('GET', `/campaigns/${id}`)).data as {
      parameters: { idConfiguration: number };
    };
    expect((await scoresOf(t, id)).map(({ score }) => score)).toEqual(['1.5', '1.5']);
    expect(await validOf(t, id)).toEqual([true, true]);
    expect(await isScored(t, id)).toBe(true);
    return { id, template, ad, idTarget, configuration: read.parameters.idConfiguration };
  }
  type Scored = Awaited<ReturnType<typeof makeScored>>;
  const advertise = (idAdvertisement: number) => ({ idAdvertisement, position: 1 });
  async function change(method: string, path: string, body?: unknown) {
    const reply = await t.call(method, path, { ...(body !== undefined && { body }), as: 'admin' });
    expect(reply.error).toBe(null);
    return reply.data;
  }
  const ofCampaign = (body: object) => (to: Scored) =>
    change('PUT', '/campaigns', { id: to.id, parameters: {}, ...body });
  const ofConfiguration = (body: object) => (to: Scored) =>
    change('PUT', '/sending-configurations', { id: to.configuration, ...body });
  const ofSegment = (body: object) => (to: Scored) =>
    change('PUT', `/campaigns/${to.id}/segments/1`, {
      ...{ name: 'One', idTarget: to.idTarget, percent: 100, fixedValues: 0 },
      ...body,
    });
  const firstLink = async (to: Scored) => {
    const links = (await change('GET', `/campaigns/${to.id}/tracked-links`)) as unknown as { id: number }[];
    return links[0]!.id;
  };

  it.each<[string, (to: Scored) => Promise<unknown>, [boolean, boolean]]>([
    ['the subject', ofCampaign({ parameters: { subject: 'New' } }), [false, false]],
    ['the name beside the sender', ofCampaign({ parameters: { senderAlias: 'New' } }), [false, false]],
    ['the preheader', ofCampaign({ preheader: 'New' }), [false, false]],
    ['the HTML', ofCampaign({ htmlContent: '<p>New</p>' }), [false, false]],
    [
      'the header List-Unsubscribe',
      ofCampaign({ parameters: { useListUnsubscribeHeader: false } }),
      [false, false],
    ],
    ['another speed', ofCampaign({ parameters: { sendingSpeed: 7 } }), [true, true]],
    ["a campaign's name that no tag shows", ofCampaign({ parameters: { name: 'New' } }), [true, true]],
    [
      'the HTML of its template',
      (to) => change('PUT', '/campaigns', { id: to.template, parameters: {}, htmlContent: '<p>New</p>' }),
      [false, false],
    ],
    ['the footer', ofConfiguration({ footerHtml: '<a href="[[LINK.UNSUB]]">Leave</a>' }), [false, false]],
    ['the sender', ofConfiguration({ senderEMail: 'new@example.com' }), [false, false]],
    ['the prefix of test mailings', ofConfiguration({ objectPrefixBAT: '[NEW] ' }), [true, true]],
    ["a segment's subject", ofSegment({ mailObject: 'New' }), [false, true]],
    ["a segment's sender", ofSegment({ senderAlias: 'New' }), [false, true]],
    ["a segment's share and name", ofSegment({ percent: 50, name: 'New' }), [true, true]],
    [
      'an advertisement of one segment',
      (to) => change('PUT', '/advertisements', { id: to.ad, html: '<b>New</b>' }),
      [false, true],
    ],
    [
      'an advertisement in its place',
      async (to) =>
        change(
          'PUT',
          `/campaigns/${to.id}/segments/1/advertisement`,
          advertise(await makeAd(t.db, '<i>x</i>')),
        ),
      [false, true],
    ],
    [
      'a link that is tracked no longer',
      async (to) => change('DELETE', `/campaigns/${to.id}/tracked-links/${await firstLink(to)}`),
      [false, false],
    ],
    ['the order of segments', (to) => reorder(to), [true, true]],
  ])('after a change of %s, scores hold where the message is the same', async (_, make, valid) => {
    const to = await makeScored();
    await make(to);
    expect(await validOf(t, to.id)).toEqual(valid);
    expect(await isScored(t, to.id)).toBe(valid.every(Boolean));
    await scoresOf(t, to.id);
    expect(await validOf(t, to.id)).toEqual([true, true]);
  });

  async function reorder({ id }: Scored) {
    const segments = (await change('GET', `/campaigns/${id}/segments`)) as unknown as { id: number }[];
    return change('PUT', `/campaigns/${id}/segments/order`, segments.map((one) => one.id).toReversed());
  }

  it('after a change of a name that a tag shows, scores hold no longer', async () => {
    const to = await makeScored();
    await ofCampaign({ parameters: { subject: 'From [[CONF.6]]' } })(to);
    await scoresOf(t, to.id);
    await ofSegment({ name: 'New' })(to);
    expect(await validOf(t, to.id)).toEqual([false, true]);
  });

  it('scores are valid again when a change is taken back', async () => {
    const to = await makeScored();
    await ofSegment({ mailObject: 'New' })(to);
    await ofSegment({})(to);
    expect(await validOf(t, to.id)).toEqual([true, true]);
  });

  it('a new segment has no score; excluded ones need none', async () => {
    const to = await makeScored();
    await makeSegment(t.db, to.id, { idTarget: to.idTarget, name: 'Three' });
    expect(await isScored(t, to.id)).toBe(false);
    await change('PUT', `/campaigns/${to.id}/segments/3`, {
      ...{ name: 'Three', idTarget: to.idTarget, percent: 100, fixedValues: 0, isExcluded: true },
    });
    expect(await isScored(t, to.id)).toBe(true);
    expect(await scoresOf(t, to.id)).toMatchObject([
      { score: '1.5' },
      { score: '1.5' },
      { score: null, details: 'Segment 3 is excluded: it has no message', extRetroSpamCause: null },
    ]);
    expect(await validOf(t, to.id)).toEqual([true, true, false]);
  });

  it('200 for two calls at once, on any segment that there is', async () => {
    const { id } = await makeScored();
    const body = { idCampaign: id, segmentPosition: 2, idSubscriber: 1 };
    const replies = await Promise.all([compute(t, body), compute(t, body)]);
    expect(replies.map(({ data }) => (data as Score[]).length)).toEqual([2, 2]);
    expect(await validOf(t, id)).toEqual([true, true]);
  });

  it('200 with one question to an engine that fails', async () => {
    const { id } = await makeScored();
    let questions = 0;
    spamd.answer = (socket) => {
      questions++;
      saying('hello')(socket);
    };
    const reason = 'SpamAssassin gave no score: its response is not understood';
    const scores = await scoresOf(t, id);
    for (const { score, details } of scores) {
      expect(score).toBe(null);
      expect(details.split('\n')[0]).toBe(reason);
    }
    expect(questions).toBe(1);
    // What was found before still holds: the messages are the same.
    expect(await validOf(t, id)).toEqual([true, true]);
  });

  it('403 for a reader', async () => {
    expect((await compute(t, { idCampaign: 1 }, 'reader')).status).toBe(403);
  });

  it('404 for an unknown campaign, segment or subscriber', async () => {
    const { id } = await makeScored();
    const bodies = [
      { idCampaign: 999_999 },
      { idCampaign: id, segmentPosition: 9 },
      { idCampaign: id, idSubscriber: 999_999 },
    ];
    const replies = await Promise.all(bodies.map((body) => compute(t, body)));
    expect(replies.map(({ status, error }) => [status, error])).toEqual([
      [404, 'Campaign not found'],
      [404, 'Segment not found'],
      [404, 'idSubscriber: Subscriber not found'],
    ]);
  });

  it('422 for a campaign without segments', async () => {
    expect(await compute(t, { idCampaign: await makeCampaign(t.db) })).toMatchObject({
      status: 422,
      error: 'The message cannot be made: no segment',
    });
  });
});

describeWith('spamd', 'computeSpamScores', () =>
  describeWith('rspamd', 'with SpamAssassin and Rspamd', () => {
    let engines: Awaited<ReturnType<typeof startEngines>>;
    let t: TestApp;
    beforeAll(async () => {
      engines = await startEngines();
      t = await testApp({ config: engines.config });
      await makeSubscribers(t.db, [1]);
    });
    afterAll(async () => {
      await t.close();
      await engines.close();
    });

    it('200 the score of each segment’s own message', async () => {
      const id = await makeCampaign(t.db, { htmlContent: '<p>Hello, the tulips are out.</p>[[ENCART.1]]' });
      const idTarget = await makeTarget(t.db);
      for (const html of ['<p>The shed is open.</p>', `<p>${gtube}</p>`]) {
        await makeSegment(t.db, id, { idTarget });
        const position = html.includes(gtube) ? 2 : 1;
        const body = { idAdvertisement: await makeAd(t.db, html), position: 1 };
        const path = `/campaigns/${id}/segments/${position}/advertisement`;
        expect((await t.call('PUT', path, { body })).error).toBe(null);
      }
      const [plain, spam] = await scoresOf(t, id);
      expect(Number(plain!.score)).toBeLessThan(5);
      expect(Number(spam!.score)).toBeGreaterThan(500);
      expect(await isScored(t, id)).toBe(true);
    });
  }),
);
