import { describe, expect, it } from 'vitest';
import { bounceClasses } from '../activity/bounce.ts';
import { classify } from '../activity/bounce-rules.ts';
import { complaint, dsn, plain } from '../testing/reports.ts';
import { readReport } from './report.ts';

const to = 'b-x@mail.test';
const nameOf = (found: number | null) =>
  Object.entries(bounceClasses).find(([, value]) => value === found)?.[0] ?? null;
const nullSender = { isNullSender: true };
const read = async (raw: string) => nameOf(classify(await readReport(Buffer.from(raw), nullSender)));
/** A plain message of a mail system. */
const notice = (text: string) =>
  plain({ to, from: 'MAILER-DAEMON@mx.test', subject: 'failure notice', text });

describe('reports and their classes', () => {
  it.each([
    ['5.1.1', 'smtp; 550 5.1.1 User unknown', 'hard'],
    ['5.1.1', 'x-unix; user not found', 'hard'],
    ['5.2.1', 'smtp; 550 5.2.1 The email account is disabled', 'hard'],
    ['5.0.0', 'smtp; 550 Requested action not taken: mailbox unavailable', 'hard'],
    ['5.0.0', 'smtp; 550 no such user here', 'hard'],
    ['5.4.1', 'smtp; 550 5.4.1 Recipient address rejected: Access denied', 'hard'],
    ['5.2.2', 'smtp; 552 5.2.2 Over quota', 'soft'],
    ['5.0.0', 'smtp; 552 mailbox is full', 'soft'],
    ['4.4.1', 'smtp; connect to mx[192.0.2.1]:25: Connection timed out', 'soft'],
    ['5.0.0', 'smtp; 554 transaction failed', 'soft'],
    ['5.1.2', 'smtp; bad destination system', 'dns'],
    ['5.4.4', 'dns; Host or domain name not found. Name service error', 'dns'],
    ['4.4.4', 'dns; no route', 'dns'],
    ['5.7.1', 'smtp; 554 5.7.1 Message rejected due to spam content', 'spam'],
    ['5.7.1', 'smtp; 550 blocked using zen.dnsbl.test', 'spam'],
    ['5.7.26', 'smtp; 550 5.7.26 DMARC policy', 'spam'],
  ])('a failed delivery %s “%s” is %s', async (status, diagnostic, expected) => {
    expect(await read(dsn({ to, status, diagnostic }))).toBe(expected);
  });

  it.each(['delayed', 'delivered', 'relayed', 'expanded'])('a report “%s” is no bounce', async (action) => {
    expect(await read(dsn({ to, action, status: '4.4.7' }))).toBe(null);
  });

  it('an internationalised report is read the same', async () => {
    expect(await read(dsn({ to, type: 'global-delivery-status' }))).toBe('hard');
  });

  it.each([
    ['abuse', 'complaint'],
    ['fraud', 'complaint'],
    ['Abuse', 'complaint'],
    ['not-spam', null],
    ['auth-failure', null],
  ])('feedback “%s” is %s', async (feedbackType, expected) => {
    expect(await read(complaint({ to, feedbackType }))).toBe(expected);
  });

  it.each([
    [
      'an auto-responder',
      plain({ to, headers: 'Auto-Submitted: auto-replied', text: 'I am away' }),
      'autoReply',
    ],
    [
      'an out-of-office note',
      plain({ to, subject: 'Out of office: News', text: 'Back on Monday' }),
      'autoReply',
    ],
    [
      'a French absence note',
      plain({ to, subject: 'Absence du bureau', text: 'De retour lundi' }),
      'autoReply',
    ],
    ['a person', plain({ to, text: 'Please call me' }), 'autoReply'],
    ['an old mail system', notice('Hi. This is the qmail-send program.\n<a@b>: no such user'), 'hard'],
    ['a full mailbox', notice('<a@b>: mailbox is full'), 'soft'],
    ['a coded rejection', notice('550 5.1.1 rejected'), 'hard'],
    ['the same words of a person', plain({ to, text: '550 5.1.1 rejected' }), 'autoReply'],
    [
      'a reply that quotes us',
      plain({ to, text: 'Thanks!\n\n> user unknown, spam, mailbox is full' }),
      'autoReply',
    ],
    [
      'a reply below which we are',
      plain({ to, text: 'Hi\n--- Original Message ---\nno such user' }),
      'autoReply',
    ],
  ])('%s is read', async (_who, raw, expected) => {
    expect(await read(raw)).toBe(expected);
  });

  const ours = 'Your account has been inactive';
  it.each([
    ['an auto-responder', `Automatic reply: ${ours}`, 'Auto-Submitted: auto-replied'],
    ['a French one', `Réponse automatique : ${ours}`, ''],
    ['a German one', `Automatische Antwort: ${ours}`, ''],
    ['a person', `Re: ${ours}`, ''],
    ['one whose subject is only ours', ours, 'X-Autoreply: yes'],
  ])('%s who repeats our subject is judged by their own words', async (_who, subject, headers) => {
    expect(await read(plain({ to, subject, headers, text: 'Back on Monday' }))).toBe('autoReply');
  });

  it('an absence in the subject does not mean a nonexistent mailbox, whatever the text', async () => {
    const text = 'My mailbox is unavailable until Monday.';
    expect(await read(plain({ to, subject: 'Out of Office: News', text }))).toBe('autoReply');
  });

  it.each([
    ['4.4.7', 'smtp; delivery time expired', 'soft'],
    ['4.2.1', 'smtp; 421 4.2.1 mailbox temporarily disabled', 'soft'],
    ['4.4.3', 'dns; host not found, try again', 'soft'],
    ['5.7.1', 'smtp; 550 5.7.1 recipient address invalid for this sender', 'spam'],
    ['5.7.1', 'smtp; 550 5.7.1 message refused', 'spam'],
    ['5.0.0', 'smtp; 554 transaction failed', 'soft'],
  ])('a delivery report %s “%s” whose subject repeats ours is %s', async (status, diagnostic, expected) => {
    expect(await read(dsn({ to, status, diagnostic, subject: `Undeliverable: ${ours}` }))).toBe(expected);
  });

  it.each([
    ['English', 'From: News <n@shop.test>\nSent: Monday\nTo: me'],
    ['French', 'De : News <n@shop.test>\nEnvoyé : lundi 2 novembre 2026\nÀ : moi'],
    ['French with narrow spaces', 'De\u00a0: News\nEnvoyé\u202f: lundi'],
    ['German', 'Von: News <n@shop.test>\nGesendet: Montag, 2. November 2026'],
    ['Spanish', 'De: News <n@shop.test>\nEnviado el: lunes'],
    ['Italian', 'Da: News <n@shop.test>\nInviato: lunedì'],
    ['Dutch', 'Van: News <n@shop.test>\nVerzonden: maandag'],
    ['a French mail program', 'Le lun. 2 nov. 2026 à 10:00, News <n@shop.test> a écrit :'],
    ['a German mail program', 'Am 2. November 2026 schrieb News <n@shop.test>:'],
  ])('what is below a quotation (%s) is ours', async (_what, head) => {
    const quotation = `${head}\n\nUser unknown? 550 5.1.1 is what mailbox is full means.`;
    expect(await read(plain({ to, text: `Merci.\n\n${quotation}` }))).toBe('autoReply');
    expect(await read(plain({ to, text: quotation }))).toBe('autoReply');
  });

  it.each([
    ["Absent jusqu'au 4.11.25, écrivez à mon collègue", 'soft'],
    ['Out from 5.1.1 to 5.2.2, call 550 12 34', 'soft'],
    ['Remote host said: 550 5.1.1 gone', 'hard'],
    ['<a@b>: 452-4.2.2 later', 'soft'],
    ['Sorry, not here (#5.1.1)', 'hard'],
  ])('a notice “%s” is %s: only beside a reply code is it a status', async (text, expected) => {
    expect(await read(notice(text))).toBe(expected);
  });

  it.each(['x-unknown', 'utf-7', 'utf-16', 'us-ascii; charset=', '\u0000', 'a'.repeat(5_000)])(
    'a report whose charset is «%.20s» is read as far as it can be',
    async (charset) => {
      const hostile = (raw: string) => raw.replaceAll(/charset=[-\w]+/g, `charset=${charset}`);
      expect(await read(hostile(dsn({ to })))).toBe('hard');
      const reply = hostile(plain({ to, text: 'Bonjour, à lundi \u00e9\uffff' }));
      expect(await read(reply)).toBe('autoReply');
    },
  );

  it('a report in a wrong charset, with bytes that are none of it, is read', async () => {
    const bytes = Buffer.concat([
      Buffer.from(
        'From: MAILER-DAEMON@mx.test\r\nSubject: =?utf-7?B?//79?= =?x-none?Q?=FF?=\r\n' +
          'Content-Type: text/plain; charset=utf-8\r\n\r\n',
      ),
      Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0d, 0x0a]),
      Buffer.from('550 5.1.1 user unknown\r\n'),
    ]);
    expect(nameOf(classify(await readReport(bytes, nullSender)))).toBe('hard');
  });

  it('reads folded fields and never the returned message', async () => {
    const report = await readReport(Buffer.from(dsn({ to })), nullSender);
    expect(report).toMatchObject({
      kind: 'dsn',
      action: 'failed',
      status: '5.1.1',
      messageId: '<1@mx.example.test>',
    });
    expect(report.diagnostic).toBe('550 5.1.1 <gone@example.test>: Recipient address rejected: User unknown');
  });

  it('reads a report whose first part is long, and nothing after about a thousand lines', async () => {
    const report = dsn({ to, status: '5.0.0', diagnostic: 'smtp; mailbox is full' });
    const longer = (lines: number) =>
      report.replace('This is the mail system', `${'Dear sender,\r\n'.repeat(lines)}This is the mail system`);
    expect(await read(longer(1_500))).toBe('soft');
    expect(await readReport(Buffer.from(longer(1_500)), nullSender)).toMatchObject({ kind: 'dsn' });
    expect(await readReport(Buffer.from(longer(2_500)), nullSender)).toMatchObject({
      kind: 'notice',
      diagnostic: expect.stringMatching(/^Dear/),
    });
    const oneLine = await readReport(Buffer.from(`Subject: x\r\n\r\n${'a'.repeat(600_000)}`), nullSender);
    expect(oneLine).toMatchObject({ kind: 'reply', subject: 'x' });
  });

  it('refuses a message nested without end', async () => {
    const deep = Array.from(
      { length: 60 },
      (_, i) => `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\n`,
    ).join('');
    await expect(readReport(Buffer.from(deep), nullSender)).rejects.toThrow(/nesting/i);
  });
});
