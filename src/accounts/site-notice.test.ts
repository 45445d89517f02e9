import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { type SinkOptions, type SmtpSink, smtpSink } from '../testing/smtp-sink.ts';
import type { RouteInput } from './route.ts';
import { createRoute } from './route-store.ts';
import { sendSiteNotice } from './site-notice.ts';

const notice = { to: ['ada@example.com'], subject: 'Import of people.csv', text: 'Rows: 3\n' };

describe('a notice about a site', () => {
  let t: TestApp;
  const sinks: SmtpSink[] = [];
  beforeEach(async () => {
    t = await testApp();
  });
  afterEach(async () => {
    for (const sink of sinks.splice(0)) await sink.close();
    await t.close();
  });

  async function sink(options: SinkOptions = {}): Promise<SmtpSink> {
    const made = await smtpSink(options);
    sinks.push(made);
    return made;
  }
  const route = (port: number, more: Partial<RouteInput> = {}) =>
    createRoute(t.app.control, t.app.secrets, t.db.site.id, {
      host: '127.0.0.1',
      port,
      tls: 'none',
      ...more,
    });
  const send = (idSite = t.db.site.id, config: object = {}) =>
    sendSiteNotice({ ...t.app, config: { ...t.app.config, ...config } }, idSite, notice);

  it('leaves by the site’s own route, signed in as campaigns are; of others by the configured relay', async () => {
    const [own, byDefault] = [await sink({ capabilities: ['AUTH PLAIN'] }), await sink()];
    await route(own.port, { username: 'ada', password: 'pass' });
    const config = { smtpUrl: `smtp://127.0.0.1:${byDefault.port}` };
    await send(t.db.site.id, config);
    expect([own.messages.length, byDefault.messages.length]).toEqual([1, 0]);
    expect(own.commands).toContain(`AUTH PLAIN ${Buffer.from('\0ada\0pass').toString('base64')}`);
    expect(own.commands).toContain('EHLO mail.test');
    await send(t.otherDb.site.id, config);
    expect([own.messages.length, byDefault.messages.length]).toEqual([1, 1]);
  });

  it('leaves by the next route when the first is unavailable, and fails when all are', async () => {
    const [first, second] = [await sink(), await sink()];
    await route(first.port, { position: 1 });
    await route(second.port, { position: 2 });
    await first.close();
    await send();
    expect(second.messages).toHaveLength(1);
    await second.close();
    await expect(send()).rejects.toThrow(/ECONNREFUSED/);
  });

  it('does not leave in the clear where TLS was requested', async () => {
    const plain = await sink({ capabilities: ['AUTH PLAIN'] });
    await route(plain.port, { tls: 'starttls', username: 'ada', password: 'pass' });
    await expect(send()).rejects.toThrow();
    await expect(
      send(t.otherDb.site.id, { smtpUrl: `smtp://127.0.0.1:${plain.port}?tls=starttls` }),
    ).rejects.toThrow();
    expect(plain.messages).toEqual([]);
    expect(plain.commands.join()).not.toContain('AUTH');
  });

  it('ends in the built-in mailbox when there is no relay', async () => {
    const mailbox = await sink({ capabilities: ['AUTH PLAIN'] });
    await send(t.db.site.id, { smtpPort: mailbox.port });
    expect(mailbox.messages.map(({ to }) => to)).toEqual(['ada@example.com']);
  });
});
