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
  const app = { ...t.app, config: { ...t.app.config, smtpUrl: `smtp://127.0.0.1:${sink.port}` } };
  await sendNotice(app, {
    to: ['ada@example.com', 'bob@example.com'],
    subject: 'Import of é.csv\r\nBcc: eve@example.com',
    text: 'Rows: 3\n',
  });
  const raw = sink.messages[0]!.raw!.toString();
  expect(raw).toMatch(/^From: Facteur <facteur@mail\.test>/m);
  expect(raw).toMatch(/^To: .*ada@example\.com.*bob@example\.com/m);
  expect(raw).not.toMatch(/^Bcc:/m);
  await sink.close();
  await expect(sendNotice(app, { to: ['a@example.com'], subject: 's', text: 't' })).rejects.toThrow();
});
