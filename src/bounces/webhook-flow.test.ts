import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { makeSending, sendingFinished } from '../testing/make-sending.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import { effectOn, hardOnce, untouched, WebhookTester, webhookFixture } from '../testing/webhooks.ts';

let w: WebhookTester;
let sending: SendingTester;
beforeAll(async () => {
  w = await WebhookTester.start();
  sending = new SendingTester(w.t);
});
afterEach(async () => {
  await sending.end();
  await w.t.app.control.run(sql`delete from facteur.route`);
});
afterAll(() => w.close());

/** The reference in a header, taken out of it as the provider does. */
const taken = {
  mailgun: (head: string) => JSON.parse(/^X-Mailgun-Variables: (.*)$/m.exec(head)![1]!).facteur,
  postmark: (head: string) => /^X-PM-Metadata-facteur: (.*)$/m.exec(head)![1],
  sendgrid: (head: string) => JSON.parse(/^X-SMTPAPI: (.*)$/m.exec(head)![1]!).unique_args.facteur,
  brevo: (head: string) => /^X-Mailin-custom: (.*)$/m.exec(head)![1],
  mailjet: (head: string) => /^X-MJ-CustomID: (.*)$/m.exec(head)![1],
  generic: (head: string) => /^X-Facteur-Message: (.*)$/m.exec(head)![1],
} as const;

it.each([
  ['mailgun', 'mailgun-failed'],
  ['postmark', 'postmark-bounce'],
  ['sendgrid', 'sendgrid-bounce'],
  ['brevo', 'brevo-hard-bounce'],
  ['mailjet', 'mailjet-user-unknown'],
  ['generic', 'generic-bounced'],
] as const)('what %s repeats of a sent message finds its recipient, and no other', async (provider, name) => {
  const { db, app } = w.t;
  const sink = await sending.sink({ keepRaw: true });
  const path = await w.webhookOf(provider);
  await app.control.run(sql`update facteur.route set host = '127.0.0.1', port = ${sink.port}, tls = 'none'`);
  sending.engine();
  const { idSent, ...made } = await makeSending(db, { recipients: 3 });
  await sendingFinished(db, { idSent, ...made });
  const [message, ...others] = sink.messages;
  const head = message!.raw!.toString().split('\r\n\r\n', 1)[0]!.replaceAll('\r', '');
  const event = webhookFixture(`hard/${name}`, { reference: taken[provider](head) });
  expect(await w.post(path, w.sign(provider, event))).toMatchObject({ status: 200, text: 'taken' });
  const readerOf = async (email: string) => {
    const { id } = await db.one<{ id: number }>(
      sql`select fld0 as id from ${db.t.subscriber} where fld1 = ${email}`,
    );
    return { db, idSent, id, returnPath: '', reference: '' };
  };
  const { delivery, reports } = await effectOn(await readerOf(message!.to));
  expect({ delivery, reports }).toEqual({ delivery: hardOnce.delivery, reports: 1 });
  for (const { to } of others)
    expect(await effectOn(await readerOf(to))).toMatchObject({ delivery: untouched.delivery, reports: 0 });
});
