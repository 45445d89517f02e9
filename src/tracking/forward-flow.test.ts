import { createTransport } from 'nodemailer';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { readToken } from '../activity/link-token.ts';
import { readReturnPath } from '../activity/return-path.ts';
import { startSmtpListener } from '../bounces/smtp-listener.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import { type Forwarding, forwarderName, forwarding, type Received } from '../testing/forwarding.ts';
import { complaint, dsn } from '../testing/reports.ts';

let test: TestApp;
let flow: Forwarding;
beforeAll(async () => {
  test = await testApp();
  await addCustomFields(test.db);
});
afterAll(() => test.close());
afterEach(() => flow.close());

interface Figures {
  readonly nbGodsons: number;
  readonly nbClicks: number;
  readonly nbEditoClicks: number;
  readonly nbViralClicks: number;
  readonly nbUnsubClicks: number;
  readonly nbUnsubs: number;
  readonly nbOpenings: number;
  readonly nbOpeners: number;
  readonly nbHardBounces: number;
  readonly nbSpamComplaints: number;
}

async function figures(): Promise<Figures> {
  await flow.server.settle();
  const query = { idCampaign: flow.made.idCampaign };
  const { data } = await test.call('GET', '/statistics/campaign', { query, as: 'reader' });
  return data;
}

function addressOf(message: Received, path: string): string {
  return new RegExp(`http://mail\\.test/${path}/[\\w-]+`).exec(message.mail.html!)![0];
}

async function stateOfForwarder(): Promise<{ status: number; delivery: number }> {
  return test.db.one(sql`
    select fld7 as status, fld44 as delivery from ${test.db.t.subscriber} where fld0 = ${flow.idSubscriber}`);
}

describe('a message that a reader forwards', () => {
  it('comes to each friend once, with nothing of their in it, and what they do with it is viral', async () => {
    flow = await forwarding(test);
    const page = await flow.open(flow.page);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form method="post">')]);
    const before = await figures();
    expect(before).toMatchObject({ nbGodsons: 0, nbClicks: 0 });
    const first = await flow.forward(['Ann@FRIENDS.example', 'bob@friends.example'], { name: 'Jean-Luc D.' });
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('on its way')]);
    expect((await flow.forward(['ann@friends.example'])).status).toBe(200);
    await flow.settled();
    const friends = flow.sink.messages.slice(1).map(({ to }) => to);
    expect(friends.sort()).toEqual(['Ann@friends.example', 'bob@friends.example']);
    const ann = await flow.messageTo('Ann@friends.example');
    expect(ann.mail.subject).toBe('Fwd: Hello');
    expect(ann.mail.from?.address).toBe('news@news.example.com');
    expect(ann.mail.to).toEqual([{ address: 'Ann@friends.example', name: '' }]);
    for (const part of [ann.mail.html, ann.mail.text])
      expect(part).toContain('Jean-Luc D. forwarded this message to you.');
    expect(ann.mail.html).toContain('Dear reader, number 0');
    // Nothing of the forwarder: their name, their address, their tokens, their message's id.
    const his = [...flow.own.mail.html!.matchAll(/mail\.test\/\w\/([\w-]+)/g)].map(([, token]) => token!);
    expect(new Set(his).size).toBe(5);
    const secrets = [forwarderName, 'Z=C3=A9phyrine', flow.own.sunk.to, flow.own.sunk.messageId, ...his];
    for (const secret of secrets) expect(ann.text).not.toContain(secret);
    expect(ann.sunk.from).not.toBe(flow.own.sunk.from);
    expect(await figures()).toMatchObject({ ...before, nbGodsons: 2 });

    const click = await flow.open(addressOf(ann, 'r'));
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://shop.example/?who=anybody']);
    expect(await figures()).toMatchObject({ nbClicks: 1, nbViralClicks: 1, nbEditoClicks: 0, nbOpenings: 1 });
    await flow.open(addressOf(ann, 'o'));
    expect(await figures()).toMatchObject({ nbClicks: 1, nbOpenings: 1, nbOpeners: 1 });
    const hits = await test.db.rows(sql`
      select kind, is_viral as "isViral", id_subscriber as "idSubscriber" from ${test.db.t.hit} order by id`);
    const { idSubscriber } = flow;
    expect(hits).toEqual([
      { kind: hitKinds.editorial, isViral: true, idSubscriber },
      { kind: hitKinds.open, isViral: true, idSubscriber },
    ]);
  });

  it('is shown to a friend as a page filled for nobody, whose links are viral too', async () => {
    flow = await forwarding(test);
    await flow.forward(['cleo@friends.example']);
    const mail = await flow.messageTo('cleo@friends.example');
    const mirror = await (await flow.open(addressOf(mail, 'm'))).text();
    expect(mirror).toContain('Dear reader, number 0');
    expect(mirror).not.toContain(forwarderName);
    expect(mirror).not.toContain(flow.own.sunk.to);
    const token = /\/r\/([\w-]+)/.exec(mirror)![1]!;
    expect(readToken(test.app.secrets, 'click', token)?.idForward).toBeGreaterThan(0);
    const own = await (await flow.open(addressOf(flow.own, 'm'))).text();
    expect(own).toContain(forwarderName);
  });

  it('cannot be forwarded again by the friend', async () => {
    flow = await forwarding(test);
    await flow.forward(['dora@friends.example']);
    const address = addressOf(await flow.messageTo('dora@friends.example'), 'f');
    const page = await flow.open(address);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('cannot be forwarded again'),
    ]);
    const body = new URLSearchParams({ friend: 'next@friends.example', name: '' });
    expect((await flow.open(address, { method: 'POST', body })).status).toBe(403);
    await flow.settled();
    expect(flow.sink.messages.map(({ to }) => to)).not.toContain('next@friends.example');
  });

  it('does not unsubscribe them when the friend does, but stops further forwards to the friend', async () => {
    flow = await forwarding(test);
    await flow.forward(['eve@friends.example']);
    const eve = await flow.messageTo('eve@friends.example');
    const address = addressOf(eve, 'u');
    expect(eve.text).toContain(`List-Unsubscribe: <${address}>`);
    expect(eve.text).not.toContain('List-Id');
    const page = await flow.open(address);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('No more forwarded')]);
    const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const done = await flow.open(address, { method: 'POST', body: oneClick });
    expect([done.status, await done.text()]).toEqual([
      200,
      expect.stringContaining('no longer be forwarded'),
    ]);
    expect(await stateOfForwarder()).toEqual({ status: 0, delivery: 0 });
    expect(await figures()).toMatchObject({ nbUnsubs: 0, nbUnsubClicks: 0, nbViralClicks: 0 });
    await flow.close();

    flow = await forwarding(test);
    const again = await flow.forward(['EVE@friends.example', 'fay@friends.example']);
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('on its way')]);
    await flow.settled();
    expect(flow.sink.messages.map(({ to }) => to).slice(1)).toEqual(['fay@friends.example']);
    expect(await figures()).toMatchObject({ nbGodsons: 1 });
  });

  it.each([
    ['bounces', dsn],
    ['is complained of', complaint],
  ])('says nothing of them when it %s, and is not sent to that address again', async (_, report) => {
    flow = await forwarding(test);
    const friend = `gil-${flow.made.idJob}@friends.example`;
    await flow.forward([friend]);
    const { from } = (await flow.messageTo(friend)).sunk;
    await flow.settled();
    expect(readReturnPath(test.app.secrets, from)?.idForward).toBeGreaterThan(0);
    const listener = await startSmtpListener(test.app, 0);
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
    await transport.sendMail({ envelope: { from: '', to: [from] }, raw: report({ to: from }) });
    transport.close();
    await listener.close();
    expect(await stateOfForwarder()).toEqual({ status: 0, delivery: 0 });
    expect(await figures()).toMatchObject({
      nbGodsons: 1,
      nbHardBounces: 0,
      nbSpamComplaints: 0,
      nbUnsubs: 0,
    });
    await flow.close();
    flow = await forwarding(test);
    await flow.forward([friend]);
    await flow.settled();
    expect(flow.sink.messages).toHaveLength(1);
  });

  it('of a test mailing is sent too, and counts nowhere', async () => {
    flow = await forwarding(test, { isTest: true });
    await flow.forward(['hal@friends.example']);
    await flow.messageTo('hal@friends.example');
    await flow.settled();
    expect(await figures()).toMatchObject({ nbGodsons: 0 });
  });

  it('that the relay refuses creates no forward recipient', async () => {
    flow = await forwarding(test, { misdeed: (to) => (to.startsWith('ida') ? 'refuse' : undefined) });
    await flow.forward(['ida@friends.example', 'jo@friends.example']);
    await flow.settled();
    expect(await figures()).toMatchObject({ nbGodsons: 1, nbHardBounces: 0 });
  });
});
