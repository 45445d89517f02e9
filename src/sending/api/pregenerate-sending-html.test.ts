import PostalMime from 'postal-mime';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { Pregeneration } from '../../testing/pregeneration.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import { findJob } from '../job-store.ts';

describe('pregenerateSendingHtml', () => {
  let t: TestApp;
  let made: Pregeneration;
  let sending: SendingTester;
  beforeAll(async () => {
    t = await testApp({ publicUrl: 'https://mail.test' });
    await makeSubscribers(t.db, [1, 2]);
    made = new Pregeneration(t);
    sending = new SendingTester(t);
  });
  afterEach(() => sending.end());
  afterAll(() => t.close());

  const call = (idSent: number, body: string) => t.call('POST', `/html-pregeneration/${idSent}`, { body });
  const pause = async (id: number) => (await t.call('POST', '/campaigns/pause', { body: id })).status;

  it('200: the readers of the sending get it, in its frame and with its links tracked', async () => {
    const { id, idJob, idSent } = await made.generated();
    expect(await pause(id)).toBe(200);
    const html = '<p>Better [[FLD.0]] [[BLOC.offer]] [[ENCART.1]] <a href="https://shop.example/">y</a></p>';
    const reply = await call(idSent, html);
    const whole =
      '<p>Head</p><p>Better [[FLD.0]] Block <i>Ad</i> <a href="https://shop.example/">y</a></p>' +
      '<a href="[[LINK.UNSUB]]">Unsubscribe</a>';
    expect([reply.status, reply.error, reply.data]).toEqual([200, null, whole]);
    const again = await t.call('POST', '/html-pregeneration', { query: { idCampaign: id, idSent, idJob } });
    expect(again.data).toBe(whole);

    const sink = await sending.relay({ keepRaw: true });
    sending.engine();
    await t.call('POST', '/campaigns/send-now', { body: id });
    await until(async () => (await findJob(t.db, idJob))?.state === 'Finished', 'the job has ended');
    const messages = await Promise.all(sink.messages.map(({ raw }) => PostalMime.parse(raw!)));
    const texts = messages
      .filter(({ messageId }) => messageId!.includes(`demo.${idSent}.`))
      .map(({ html: own, text }) => [own!, text!]);
    expect(texts).toHaveLength(2);
    for (const [own, text] of texts) {
      expect(own).toMatch(/Better [12] Block <i>Ad<\/i> <a href="https:\/\/mail\.test\/r\/[^"]+">y<\/a>/);
      expect(text).toMatch(/Better [12] Block/);
    }
    expect(await call(idSent, html)).toMatchObject({ status: 409 });
  });

  it('409 while the job is not paused', async () => {
    const { idSent } = await made.generated();
    expect(await call(idSent, '<p>x</p>')).toMatchObject({
      status: 409,
      error: 'The job is Sending; pause the campaign before the sending begins to replace its HTML',
    });
  });

  it('409 once a message has left, even when the campaign is paused then', async () => {
    const { id, idJob, idSent } = await made.generated();
    const sink = await sending.relay({
      misdeed: (to, attempt) => (to.startsWith('2') && attempt < 9 ? 'defer' : undefined),
    });
    sending.engine();
    // Jobs of the tests before are sent as well.
    const hasLeft = () => sink.messages.some(({ messageId }) => messageId.startsWith(`demo.${idSent}.`));
    await until(hasLeft, 'a message has left');
    await until(
      async () => (await pause(id)) !== 409 || (await findJob(t.db, idJob))?.state === 'Paused',
      'it is paused',
    );
    expect(await call(idSent, '<p>x</p>')).toMatchObject({
      status: 409,
      error: 'Messages of the sending have already left, so its HTML can no longer be replaced',
    });
    await t.call('POST', '/campaigns/stop', { body: id });
  });

  it.each([
    [
      'a tag that cannot be filled',
      '[[FLD.999]]',
      422,
      'The message cannot be made: [[FLD.999]]: there is no field',
    ],
    ['an HTML without content', '  ', 400, 'body: give the HTML of the message'],
  ])('%s: %i', async (_, html, status, error) => {
    const { id, idSent } = await made.generated();
    await pause(id);
    expect(await call(idSent, html)).toMatchObject({ status, error: expect.stringContaining(error) });
  });

  it('404 for an unknown sending', async () => {
    expect(await call(999_999, '<p>x</p>')).toMatchObject({ status: 404, error: 'Sent not found' });
  });
});
