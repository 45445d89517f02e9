import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countersOfSents } from '../activity/counter-store.ts';
import type { Counters } from '../activity/counters.ts';
import { makeToken } from '../activity/link-token.ts';
import { markRefused } from '../activity/mark-refused.ts';
import { makeReturnPath } from '../activity/return-path.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSending, sendingFinished } from '../testing/make-sending.ts';
import { type ClassName, classNames } from '../testing/report-fixtures.ts';
import { dsn, plain } from '../testing/reports.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import { type SmtpListener, startSmtpListener } from './smtp-listener.ts';

const folder = join(import.meta.dirname, 'fixtures');

/**
 * Messages in the form of one provider or program each, with `{{…}}` where they name addresses of ours; their
 * `Return-Path` is the envelope's sender. The folder of each names the class that it must be counted as.
 */
const fixtures = (Object.keys(classNames) as ClassName[]).flatMap((expected) =>
  readdirSync(join(folder, expected)).map((file) => {
    const text = readFileSync(join(folder, expected, file), 'utf8');
    return { name: file.replace(/\.eml$/, ''), expected, text };
  }),
);

/** Replies of servers, their classes, and whether each is a bounce at RCPT as well. */
const lines = readFileSync(join(folder, 'replies.tsv'), 'utf8').trimEnd().split('\n');
const replies = lines.map((line) => {
  const [expected, atRcpt, reply] = line.split('\t') as [ClassName, 'bounce' | 'none', string];
  return { expected, isBounceAtRcpt: atRcpt === 'bounce', reply };
});

let t: TestApp;
let listener: SmtpListener;
let lastSent = 1_000;
beforeAll(async () => {
  t = await testApp();
  listener = await startSmtpListener(t.app, 0);
});
afterAll(async () => {
  await listener.close();
  await t.close();
});

/** A subscriber who got a message of their own, and what in it we signed. */
async function makeReader() {
  const { id } = await t.db.one<{ id: number }>(sql`
    insert into ${t.db.t.subscriber} (fld1) values (gen_random_uuid() || '@example.test') returning fld0 as id`);
  const ids = { idSite: t.db.site.id, idSent: ++lastSent, idSubscriber: id };
  return {
    ...ids,
    returnPath: makeReturnPath(t.app.secrets, ids, 'mail.test'),
    unsubscribe: `https://mail.test/u/${makeToken(t.app.secrets, { kind: 'unsub', ...ids })}`,
  };
}
type Reader = Awaited<ReturnType<typeof makeReader>>;

async function deliver(raw: string, from: string, to: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
  await transport.sendMail({ envelope: { from, to }, raw: Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n')) });
}

/** Field 44, the status, and the counters that are not zero. */
async function effectOn({ idSent, idSubscriber }: Reader) {
  const row = await t.db.one<{ delivery: number; status: number }>(sql`
    select fld44 as delivery, fld7 as status from ${t.db.t.subscriber} where fld0 = ${idSubscriber}`);
  const counters = (await countersOfSents(t.db, [idSent])).get(idSent)!;
  const counted = Object.entries(counters).filter(([, value]) => value !== 0);
  return { ...row, counters: Object.fromEntries(counted) as Partial<Counters> };
}

const bounced = { nbAddressSent: 1, nbTotalBounces: 1 };
const effects: Readonly<Record<ClassName, Awaited<ReturnType<typeof effectOn>>>> = {
  hard: { delivery: 2, status: 0, counters: { ...bounced, nbHardBounces: 1 } },
  soft: { delivery: 1, status: 0, counters: { ...bounced, nbSoftBounces: 1 } },
  dns: { delivery: 0, status: 0, counters: { ...bounced, nbDnsErrorsBounces: 1 } },
  spam: { delivery: 0, status: 0, counters: { ...bounced, nbSpamBounces: 1 } },
  'auto-reply': {
    delivery: 0,
    status: 0,
    counters: { ...bounced, nbAutoRespondersBounces: 1, nbDelivered: 1 },
  },
  complaint: {
    delivery: 3,
    status: 1,
    counters: { nbAddressSent: 1, nbDelivered: 1, nbSpamComplaints: 1, nbUnsubs: 1 },
  },
  none: { delivery: 0, status: 0, counters: {} },
};

describe('messages at the SMTP port, in the form of their provider', () => {
  it('are at least eighty, of every class', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(80);
    expect(new Set(fixtures.map((one) => one.expected))).toEqual(new Set(Object.keys(classNames)));
  });

  it.each(fixtures.map((one) => [one.expected, one.name, one.text] as const))(
    '%s: %s',
    async (expected, _name, text) => {
      const reader = await makeReader();
      const fbl = 'fbl@mail.test';
      const filled = text
        .replaceAll(/\{\{(to|returnPath)\}\}/g, reader.returnPath)
        .replaceAll('{{unsubscribe}}', reader.unsubscribe)
        .replaceAll('{{fbl}}', fbl);
      const from = /^Return-Path: <(.*)>/.exec(filled)![1]!;
      await deliver(filled, from, text.includes('{{fbl}}') ? fbl : reader.returnPath);
      expect(await effectOn(reader)).toEqual(effects[expected]);
    },
  );
});

describe('a server’s reply', () => {
  it.each(replies)(
    '$expected in a delivery report and in a plain notice: $reply',
    async ({ expected, reply }) => {
      const [ofReport, ofNotice] = [await makeReader(), await makeReader()];
      const status = /^\d{3} #?(5\.\d+\.\d+)/.exec(reply)?.[1] ?? '5.0.0';
      await deliver(
        dsn({ to: ofReport.returnPath, status, diagnostic: `smtp; ${reply}` }),
        '',
        ofReport.returnPath,
      );
      const text = `Your message could not be delivered to <gone@example.test>:\nhost mx.test said: ${reply}`;
      const notice = plain({
        to: ofNotice.returnPath,
        from: 'MAILER-DAEMON@mx.test',
        subject: 'failure notice',
        text,
      });
      await deliver(notice, '', ofNotice.returnPath);
      expect([await effectOn(ofReport), await effectOn(ofNotice)]).toEqual([
        effects[expected],
        effects[expected],
      ]);
    },
  );

  it('means the same at RCPT, where it is a bounce if it is about the mailbox', async () => {
    const sending = new SendingTester(t);
    const replyTo = (to: string) => replies[Number(/^r(\d+)-/.exec(to)![1]) - 1]!;
    await sending.relay({ misdeed: (to) => ({ rcpt: replyTo(to).reply }) });
    const made = await makeSending(t.db, { recipients: replies.length });
    const engine = sending.engine();
    await sendingFinished(t.db, made);
    await engine.stop();
    await sending.end();
    await markRefused.run(t.app, {}, new AbortController().signal);
    const rows = await t.db.rows<{ email: string; class: number | null; delivery: number }>(sql`
      select s.fld1 as email, b.class, s.fld44 as delivery
      from ${t.db.t.subscriber} s left join ${t.db.t.bounce} b on b.id_subscriber = s.fld0
      where s.fld1 like ${`r%-${made.idJob}@%`}`);
    const effect = ({ expected, isBounceAtRcpt, reply }: (typeof replies)[number]) =>
      isBounceAtRcpt
        ? { reply, class: classNames[expected], delivery: effects[expected].delivery }
        : { reply, class: null, delivery: 0 };
    const found = rows.map(({ email, ...row }) => ({ reply: replyTo(email).reply, ...row }));
    const byReply = (a: { reply: string }, b: { reply: string }) => (a.reply < b.reply ? -1 : 1);
    expect(found.sort(byReply)).toEqual(replies.map(effect).sort(byReply));
  });
});
