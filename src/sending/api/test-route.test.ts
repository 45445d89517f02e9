import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RouteTrial } from '../../mail/route-trial.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { freePort } from '../../testing/free-port.ts';
import { whileHeld } from '../../testing/held.ts';
import { type SinkOptions, smtpSink } from '../../testing/smtp-sink.ts';
import { trialsAnHour } from './test-route.ts';

const to = 'ada@example.com';
const closers: (() => unknown)[] = [];

describe('testRoute', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  afterAll(() => t.close());

  const addRoute = async (port: number, more: object = {}, app = t) => {
    const body = { host: '127.0.0.1', port, tls: 'none', ...more };
    const { data } = await app.call('POST', '/admin/v1/sites/demo/routes', { body });
    return (data as { id: number }).id;
  };
  const path = (id: number, site = 'demo') => `/admin/v1/sites/${site}/routes/${id}/test`;
  const tested = async (id: number, body: object = { email: to }, app = t) => {
    const reply = await app.call('POST', path(id), { body });
    expect([reply.status, reply.error, reply.typeName]).toEqual([200, null, 'RouteTrial']);
    return reply.data as RouteTrial;
  };
  /** Tests a new route to a relay that behaves so. */
  const triedAt = async (options: SinkOptions, more: object = {}) => {
    const sink = await smtpSink({ keepRaw: true, ...options });
    closers.push(() => sink.close());
    return { trial: await tested(await addRoute(sink.port, more)), sink };
  };

  it('200 sends one signed message and returns what the relay replied', async () => {
    await t.call('POST', '/admin/v1/sites/demo/sending-domains', {
      body: { domain: 'shop.example', algorithm: 'ed25519-sha256' },
    });
    const sink = await smtpSink({ keepRaw: true, capabilities: ['AUTH PLAIN', 'PIPELINING'] });
    closers.push(() => sink.close());
    const id = await addRoute(sink.port, { username: 'shop', password: 'a secret' });
    const trial = await tested(id, { email: to, senderEMail: 'news@shop.example' });
    expect(trial).toMatchObject({ isAccepted: true, isEncrypted: false, isSignedIn: true, failedStep: null });
    expect([trial.code, trial.text]).toEqual([250, expect.stringMatching(/^250 /)]);
    expect(sink.messages).toMatchObject([{ from: 'facteur@mail.test', to, client: 'mail.test' }]);
    const mail = await PostalMime.parse(sink.messages[0]!.raw!);
    expect(mail.from).toEqual({ address: 'news@shop.example', name: 'Facteur' });
    const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(headers.get('dkim-signature')).toContain('d=shop.example');
    expect(mail.text).toContain('This message tests a relay');
  });

  it.each<[string, SinkOptions, Partial<RouteTrial>]>([
    ['greeting', { banner: () => '421 too busy' }, { code: 421, text: '421 too busy' }],
    ['recipient', { misdeed: () => 'refuse' }, { code: 550 }],
    [
      'recipient',
      { misdeed: () => ({ rcpt: '450 4.7.1 try later' }) },
      { code: 450, text: '450 4.7.1 try later' },
    ],
    ['message', { misdeed: () => 'refuseData' }, { code: 554 }],
    ['message', { misdeed: () => 'defer' }, { code: 451 }],
    ['message', { misdeed: () => 'takeAndTear' }, { code: null, text: 'The server closed the connection' }],
    ['recipient', { misdeed: () => 'refuse', capabilities: ['PIPELINING'] }, { code: 550 }],
    ['message', { misdeed: () => 'refuseData', capabilities: ['PIPELINING'] }, { code: 554 }],
  ])('200 names the step that failed: %s, %j', async (failedStep, options, rest) => {
    const { trial } = await triedAt(options);
    expect(trial).toMatchObject({ isAccepted: false, isSignedIn: false, failedStep, ...rest });
  });

  it('200 for a relay that nothing listens at, that needs TLS, or that does not have it', async () => {
    expect(await tested(await addRoute(await freePort()))).toMatchObject({
      failedStep: 'connection',
      code: null,
      text: expect.stringContaining('ECONNREFUSED'),
    });
    const starttls = await triedAt({}, { tls: 'starttls' });
    expect(starttls.trial).toMatchObject({ failedStep: 'tls', text: 'The relay does not offer STARTTLS' });
    expect((await triedAt({}, { tls: 'tls' })).trial).toMatchObject({
      failedStep: 'tls',
      isEncrypted: false,
    });
  });

  it('200 for a relay whose certificate is not trusted', async () => {
    const server = new SMTPServer({ authOptional: true, disabledCommands: ['AUTH'] });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.server.address() as { port: number };
    expect(await tested(await addRoute(port, { tls: 'starttls' }))).toMatchObject({
      isEncrypted: false,
      failedStep: 'tls',
      code: null,
      text: expect.stringMatching(/certificate/i),
    });
  });

  it('200 for a rejected sign-in, and never shows the password, in any form that the relay repeats', async () => {
    const login = { username: 'shop', password: 'hunter-77' };
    const plain = Buffer.from('\0shop\0hunter-77').toString('base64');
    for (const [said, text] of [
      ['535 5.7.8 wrong user name or password', '535 5.7.8 wrong user name or password'],
      ['535 hunter-77 is wrong', '535 (the words are withheld: they may repeat the password)'],
      ['535 not HUNTER-', '535 (the words are withheld: they may repeat the password)'],
      [`535 AUTH PLAIN ${plain}`, '535 (the words are withheld: they may repeat the password)'],
      [`535 ${plain.slice(8)}`, '535 (the words are withheld: they may repeat the password)'],
      ['535 aHVudGVyLTc3', '535 (the words are withheld: they may repeat the password)'],
    ]) {
      const { trial } = await triedAt({ capabilities: ['AUTH PLAIN'], signIn: () => said! }, login);
      expect(trial).toMatchObject({ isSignedIn: false, failedStep: 'signIn', code: 535, text });
      expect(JSON.stringify(trial)).not.toMatch(/hunter|aHVudGVy/i);
    }
  });

  it('422 for people who must get no mail, whatever the letters of their address', async () => {
    const id = await addRoute(await freePort());
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7, fld44)
      values ('left@example.com', 1, 0), ('gone@example.com', 0, 2), ('here@example.com', 0, 0)`);
    for (const email of ['Left@example.com', 'gone@example.com'])
      expect(await t.call('POST', path(id), { body: { email } })).toMatchObject({
        status: 422,
        error: `email: ${email} must not get messages: unsubscribed, bounced or complained`,
      });
    expect((await tested(id, { email: 'here@example.com' })).failedStep).toBe('connection');
  });

  it('400 for what is no address', async () => {
    const id = await addRoute(1);
    for (const body of [
      { email: 'nobody' },
      { email: 'a@b.example, c@d.example' },
      { email: to, senderEMail: 'x' },
    ])
      expect((await t.call('POST', path(id), { body })).error).toMatch(/: must be an email address$/);
    expect((await t.call('POST', path(id), { body: {} })).status).toBe(400);
  });

  it('409 while nothing may be sent', async () => {
    const id = await addRoute(1);
    const call = () => t.call('POST', path(id), { body: { email: to } });
    expect(await whileHeld(t, 'a copy is started', call)).toMatchObject({ status: 409 });
  });

  it('429 for more than its number in an hour, of each site', async () => {
    const fresh = await testApp();
    const id = await addRoute(await freePort(), {}, fresh);
    for (let i = 0; i < trialsAnHour; i++) await tested(id, { email: to }, fresh);
    const { status, headers } = await fresh.call('POST', path(id), { body: { email: to } });
    expect([status, Number(headers['retry-after']) > 3_000]).toEqual([429, true]);
    await fresh.close();
  });

  it('404 for an unknown route and that of another site; 401 without a token, 403 for a sender', async () => {
    const id = await addRoute(1);
    const body = { email: to };
    expect((await t.call('POST', path(9999), { body })).error).toBe('Route not found');
    expect((await t.call('POST', path(id, 'other'), { body })).status).toBe(404);
    expect((await t.call('POST', path(id), { body, as: null })).status).toBe(401);
    expect((await t.call('POST', path(id), { body, as: 'sender' })).status).toBe(403);
  });
});
