import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
  await addCustomFields(test.db);
});
afterEach(() => sending.end());
afterAll(() => test.close());

/** Values that subscribers may enter; each attempts to begin a header, a body or a command. */
const values = [
  'plain',
  'a\r\nBcc: eve@evil.test',
  'a\nBcc: eve@evil.test',
  'a\rBcc: eve@evil.test',
  'a\r\n Bcc: eve@evil.test',
  'a\r\n\r\n<html>evil</html>',
  'a\u2028Bcc: eve@evil.test',
  'a\u2029Bcc: eve@evil.test',
  'a\u0085Bcc: eve@evil.test',
  'a\u000b\u000cBcc: eve@evil.test',
  '=?utf-8?Q?a=0D=0ABcc:_eve@evil.test?=',
  '=?utf-8?B?YQ0KQmNjOiBldmVAZXZpbC50ZXN0?=',
  '"Eve" <eve@evil.test>, "',
  'a"\r\n\t<eve@evil.test>',
  'a\r\n.\r\nMAIL FROM:<eve@evil.test>\r\nRCPT TO:<eve@evil.test>\r\nDATA\r\n',
  'a\n.\nMAIL FROM:<eve@evil.test>',
  '[[FLD.1]]',
  `${'é\r\nBcc: eve@evil.test '.repeat(50)}`,
];

/** Addresses that no operation takes, put into the table as if a check had been forgotten. */
const addresses = [
  'a@example.org>\r\nRCPT TO:<eve@evil.test',
  'a@example.org\r\nRCPT TO:<eve@evil.test>',
  'a@example.org> SIZE=1 <eve@evil.test',
  'a@example.org\nBcc: eve@evil.test',
  'a b@example.org',
  '<eve@evil.test',
  '"a@evil.test, b"@example.org',
  'a@example.org\u2028Bcc: eve',
];

describe('whatever is in the data', () => {
  it('adds no header to a message, no message to a sending, and changes no command', async () => {
    const { db } = test;
    const { messages, commands } = await sendWith(values, addresses);
    expect(messages).toHaveLength(values.length);
    const names = messages.map(({ raw }) => headerNames(raw!));
    for (const one of names) expect(one).toEqual(names[0]);
    expect(names[0]).toContain('Subject');
    expect(commands.filter((line) => /^RCPT/i.test(line)).sort()).toEqual(
      messages.map(({ to }) => `RCPT TO:<${to}>`).sort(),
    );
    expect(messages.every(({ to }) => /^r\d+-\d+@example\.org$/.test(to))).toBe(true);
    // One command of each kind a message; what greets and ends connections is not counted.
    const told = commands.filter(
      (line) => !/^(EHLO|RSET|QUIT|MAIL FROM:<b-[a-z2-7]+@mail\.test>|DATA)/.test(line),
    );
    expect(told).toHaveLength(values.length);
    // Recipients whose address SMTP cannot express were refused, not dropped in silence.
    const refused = await db.one<{ count: number }>(sql`
      select count(*) as count from ${db.t.receipt} where state = 2`);
    expect(refused.count).toBe(addresses.length);
  });
});

/** Sends to a recipient with each value in every header that takes one, and to each of the addresses. */
async function sendWith(given: readonly string[], hostile: readonly string[]): Promise<SmtpSink> {
  const { db } = test;
  const sink = await sending.relay({ keepRaw: true, maxConnections: 2 });
  const made = await makeSending(db, {
    recipients: given.length + hostile.length,
    html: '<p>[[FLD.101]]</p>',
    text: '[[FLD.101]]\r\n.\r\n[[FLD.101]]',
    fields: [
      { id: 1, fieldType: 'Text' },
      { id: 101, fieldType: 'Text' },
    ],
  });
  const source = {
    from: { email: 'news@news.example.com', alias: 'From [[FLD.101]]' },
    replyTo: { email: 'answers@news.example.com', alias: '[[FLD.101]]' },
    recipientAlias: '[[FLD.101]] [[FLD.1]]',
  };
  await db.run(sql`
    update ${db.t.job}
    set frozen = jsonb_set(
      frozen || jsonb_build_object('source', frozen -> 'source' || ${JSON.stringify(source)}::jsonb),
      '{sents,0,subject}', '"Hello [[FLD.101]]"')
    where id = ${made.idJob}`);
  for (const [n, value] of [...given, ...hostile].entries()) {
    const name = `r${n + 1}-${made.idJob}@example.org`;
    const change = n < given.length ? sql`fld101 = ${value}` : sql`fld1 = ${value}`;
    await db.run(sql`update ${db.t.subscriber} set ${change} where fld1 = ${name}`);
  }
  sending.engine();
  await sendingFinished(db, made);
  return sink;
}

/** Names of the header lines in order, read as bytes: a line that is not a continuation begins a header. */
function headerNames(raw: Buffer): string[] {
  const [head = ''] = raw.toString('latin1').split('\r\n\r\n');
  return head
    .split(/\r\n|\r|\n/)
    .filter((line) => !/^[ \t]/.test(line))
    .map((line) => line.split(':')[0]!);
}
