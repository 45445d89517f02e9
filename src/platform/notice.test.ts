import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { type Misdeed, smtpSink } from '../testing/smtp-sink.ts';
import { sendNotice } from './notice.ts';

let t: TestApp;
const said: string[] = [];
beforeAll(async () => {
  t = await testApp({ log: pino({ level: 'warn' }, { write: (line) => said.push(line) }) });
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

describe('a relay that refuses some of the recipients', () => {
  const notice = {
    to: ['ada@example.com', 'bob@example.org'],
    subject: 'Import of people.csv',
    text: 'Rows: 3\n',
    id: 'import-1-7',
  };
  const refusing = (...addresses: string[]) =>
    smtpSink({ misdeed: (to): Misdeed | undefined => (addresses.includes(to) ? 'refuse' : undefined) });
  const relayAt = ({ port }: { readonly port: number }) =>
    ({ host: '127.0.0.1', port, tls: 'none', username: null, password: null }) as const;

  test('those go by the next relay, and nobody has the notice twice', async () => {
    const [first, second] = [await refusing('ada@example.com'), await refusing()];
    await sendNotice(t.app, notice, [relayAt(first), relayAt(second)]);
    expect(first.messages.map(({ to }) => to)).toEqual(['bob@example.org']);
    expect(second.messages.map(({ to }) => to)).toEqual(['ada@example.com']);
    expect(second.commands.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<ada@example.com>']);
    expect(said).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });

  test('recipients that every relay rejects are logged, and the task does not write to the others again', async () => {
    const [first, second] = [await refusing('ada@example.com'), await refusing('ada@example.com')];
    await sendNotice(t.app, notice, [relayAt(first), relayAt(second)]);
    expect([first.messages.length, second.messages.length]).toEqual([1, 0]);
    expect(said.splice(0).map((line) => JSON.parse(line))).toMatchObject([
      {
        msg: 'a notice did not reach all of its recipients',
        notice: 'import-1-7',
        recipients: 2,
        refused: [{ domain: 'example.com', code: 550 }],
      },
    ]);
    await Promise.all([first.close(), second.close()]);
  });

  test('all of them: it throws, and the task retries', async () => {
    const sink = await refusing(...notice.to);
    await expect(sendNotice(t.app, notice, [relayAt(sink)])).rejects.toMatchObject({ responseCode: 550 });
    expect(said).toEqual([]);
    await sink.close();
  });
});
