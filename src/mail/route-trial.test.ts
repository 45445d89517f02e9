import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../accounts/route.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { type SinkOptions, smtpSink } from '../testing/smtp-sink.ts';
import { tryRoute } from './route-trial.ts';

describe('tryRoute', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it.each<[string, SinkOptions]>([
    // About 2,000 bytes of replies come one by one.
    ['goes through its steps slowly', { dripMs: 5, capabilities: Array(50).fill(`X-${'LONG'.repeat(10)}`) }],
    ['never replies to the recipient', { misdeed: () => 'stall' }],
    ['never replies to the message', { misdeed: () => 'takeAndHang' }],
  ])('ends in its time at a relay that %s', async (_, options) => {
    const sink = await smtpSink(options);
    const route: Route = {
      ...{ id: 1, idSite: t.db.site.id, position: 1, host: '127.0.0.1', port: sink.port, tls: 'none' },
      ...{ username: null, password: null, maxConnections: 1, messagesPerHour: 0, webhook: null },
    };
    const trial = { from: 'a@shop.example', to: 'ada@example.com', idSite: route.idSite, at: new Date() };
    const result = await tryRoute(t.app, route, trial, 1_000);
    expect(result).toMatchObject({
      isAccepted: false,
      code: null,
      text: expect.stringMatching(/^No reply to /),
    });
    await sink.close();
  });
});
