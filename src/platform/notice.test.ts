import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { smtpSink } from '../testing/smtp-sink.ts';
import { sendNotice } from './notice.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

test('a notice goes through the relay, and its words stay where they belong', async () => {
  const sink = await smtpSink({ keepRaw: true });
  const relay = { host: '127.0.0.1', port: sink.port, tls: 'none', username: null, password: null } as const;
  const notice = {
    to: ['ada@example.com', 'bob@example.com'],
    subject: 'Import of é.csv\r\nBcc: eve@example.com',
    text: 'Rows: 3\n',
  };
  await sendNotice(t.app, notice, [relay]);
  const raw = sink.messages[0]!.raw!.toString();
  expect(raw).toMatch(/^From: Facteur <facteur@mail\.test>/m);
  expect(raw).toMatch(/^To: .*ada@example\.com.*bob@example\.com/m);
  expect(raw).not.toMatch(/^Bcc:/m);
  await sink.close();
  await expect(sendNotice(t.app, notice, [relay])).rejects.toThrow();
});
