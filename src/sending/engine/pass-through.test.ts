import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createRoute } from '../../accounts/route-store.ts';
import { type WebhookProvider, webhookProviders } from '../../accounts/route-webhook.ts';
import { storeRouteWebhook } from '../../accounts/route-webhook-store.ts';
import { readReturnPath } from '../../activity/return-path.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterEach(async () => {
  await sending.end();
  await test.app.control.run(sql`delete from facteur.route`);
});
afterAll(() => test.close());

/** The head of a message that leaves by a route with such a webhook, and the local part of its return path. */
async function headBy(provider: WebhookProvider | undefined) {
  const { app, db } = test;
  const sink = await sending.sink({ keepRaw: true });
  const input = { host: '127.0.0.1', port: sink.port, tls: 'none' } as const;
  const { id } = await createRoute(app.control, app.secrets, db.site.id, input);
  const webhook = { idSite: db.site.id, secret: 'a secret' };
  if (provider) await storeRouteWebhook(app.control, app.secrets, id, { ...webhook, provider });
  sending.engine();
  const made = await makeSending(db, { recipients: 1 });
  await sendingFinished(db, made);
  const message = sink.messages[0]!;
  const [local = ''] = message.from.split('@');
  expect(readReturnPath(app.secrets, local)).toMatchObject({ idSite: db.site.id, idSent: made.idSent });
  return { head: message.raw!.toString().split('\r\n\r\n', 1)[0]!, local };
}

const lines: Readonly<Record<WebhookProvider, (local: string) => string>> = {
  ses: (local) => `X-SES-MESSAGE-TAGS: facteur=${local}`,
  mailgun: (local) => `X-Mailgun-Variables: {"facteur": "${local}"}`,
  postmark: (local) => `X-PM-Metadata-facteur: ${local}`,
  sendgrid: (local) => `X-SMTPAPI: {"unique_args": {"facteur": "${local}"}}`,
  brevo: (local) => `X-Mailin-custom: ${local}`,
  mailjet: (local) => `X-MJ-CustomID: ${local}`,
  generic: (local) => `X-Facteur-Message: ${local}`,
};

it.each(webhookProviders)(
  'messages by a route with a webhook of %s begin with its header',
  async (provider) => {
    const { head, local } = await headBy(provider);
    expect(head.split('\r\n')[0]).toBe(lines[provider](local));
  },
);

it('messages by a route without a webhook carry no such header', async () => {
  const { head, local } = await headBy(undefined);
  expect(head).not.toContain(local);
});
