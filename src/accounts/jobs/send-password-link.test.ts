import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson } from '../../testing/make-session.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { takePasswordLink } from '../password-link-store.ts';
import { createRoute } from '../route-store.ts';
import { updateUser } from '../user-store.ts';
import { sendPasswordLink } from './send-password-link.ts';

describe('sendPasswordLink', () => {
  let t: TestApp;
  let sink: SmtpSink;
  beforeEach(async () => {
    [t, sink] = await Promise.all([testApp(), smtpSink({ keepRaw: true, capabilities: ['AUTH PLAIN'] })]);
  });
  afterEach(() => Promise.all([sink.close(), t.close()]));

  const send = (idUser: number | null, config: object = {}) =>
    sendPasswordLink.run(
      { ...t.app, config: { ...t.app.config, ...config } },
      { idUser },
      new AbortController().signal,
    );
  const links = () =>
    sink.messages.map(({ raw }) => {
      const text = raw!.toString().replaceAll(/=\r\n/g, '').replaceAll('=3D', '=');
      return /http:\/\/mail\.test\/console\/password\?token=([\w-]{43})/.exec(text)?.[1];
    });
  const take = (link: string | undefined) =>
    takePasswordLink(t.app.control, link!, 'another horse battery', t.clock.now());

  it('sends a link by a relay of a site of the user; a newer one replaces it', async () => {
    const person = await makePerson(t, { sites: [{ name: 'demo', role: 'reader' }] });
    const relay = { host: '127.0.0.1', port: sink.port, tls: 'none' } as const;
    await createRoute(t.app.control, t.app.secrets, t.db.site.id, relay);
    await send(person.id);
    await send(person.id);
    expect(sink.messages.map(({ to }) => to)).toEqual([person.email, person.email]);
    const [first, second] = links();
    expect([await take(first), await take(second), await take(second)]).toEqual([false, true, false]);
  });

  it('leaves the link of a user of no site to the configured relay, otherwise to the built-in mailbox', async () => {
    const person = await makePerson(t);
    await send(person.id, { smtpUrl: `smtp://127.0.0.1:${sink.port}` });
    await send(person.id, { smtpPort: sink.port });
    expect(sink.messages).toHaveLength(2);
    expect(await take(links()[1])).toBe(true);
  });

  it('sends nothing to a stranger, and to users who cannot sign in', async () => {
    const disabled = await makePerson(t);
    await updateUser(t.app.control, disabled.id, { isDisabled: true });
    for (const idUser of [null, 4711, 1, disabled.id]) await send(idUser, { smtpPort: sink.port });
    expect(sink.messages).toEqual([]);
  });

  it('fails, to be retried, when no relay takes it', async () => {
    const person = await makePerson(t);
    const { port } = sink;
    await sink.close();
    await expect(send(person.id, { smtpPort: port })).rejects.toThrow(/ECONNREFUSED/);
  });
});
