import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRoute } from '../accounts/route-store.ts';
import { storeRouteWebhook } from '../accounts/route-webhook-store.ts';
import { webhookAddress } from '../accounts/webhook-address.ts';
import { makeReturnPath } from '../activity/return-path.ts';
import { sql } from '../platform/db/sql.ts';
import { Secrets } from '../platform/secrets.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { commandOn, type FacteurProcess } from '../testing/child-process.ts';
import { makeJob } from '../testing/make-sent.ts';
import { type Signed, signGeneric } from '../testing/webhooks.ts';

const installation = 'a secret of thirty-two characters';
const secrets = new Secrets(Buffer.from(installation));
const whsec = `whsec_${randomBytes(32).toString('base64')}`;

let t: TestApp;
let running: FacteurProcess | undefined;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(async () => {
  await running?.end('SIGKILL');
  await t.close();
});

/** Starts the role that answers webhooks as a process of its own; the address of one. */
async function start(path: string): Promise<string> {
  running = commandOn(t, ['serve'], {
    FACTEUR_ROLES: 'tracking',
    FACTEUR_SECRET: installation,
    FACTEUR_PORT: '0',
    FACTEUR_SMTP_PORT: '0',
  });
  return `${(await running.started()).url}${path}`;
}

const statusOf = (address: string, { headers, body }: Signed): Promise<number> =>
  fetch(address, { method: 'POST', headers, body }).then(
    ({ status }) => status,
    () => 0,
  );

it('a killed process has recorded what it answered, and takes the rest when it comes again', async () => {
  const { control } = t.app;
  const idSite = t.db.site.id;
  const route = await createRoute(control, secrets, idSite, {
    host: 'smtp.example.com',
    port: 587,
    tls: 'starttls',
  });
  await storeRouteWebhook(control, secrets, route.id, { idSite, provider: 'generic', secret: whsec });
  const path = new URL(webhookAddress({ publicUrl: 'http://mail.test', secrets }, route.id)).pathname;
  const idSent = (await makeJob(t.db)).idsSent[0]!;
  const readers = await t.db.rows<{ id: number }>(sql`
    insert into ${t.db.t.subscriber} (fld1) select n || '@reader.example' from generate_series(1, 300) n
    returning fld0 as id`);
  const requests = readers.map(({ id }) => {
    const message = makeReturnPath(secrets, { idSite, idSent, idSubscriber: id }, 'mail.test').split('@')[0];
    const event = { type: 'message.bounced', data: { message, status: '5.1.1' } };
    return { id, signed: signGeneric(whsec, event, new Date()) };
  });

  const address = await start(path);
  const answered = new Set<number>();
  let kill: Promise<unknown> | undefined;
  await Promise.all(
    requests.map(async ({ id, signed }) => {
      if ((await statusOf(address, signed)) !== 200) return;
      answered.add(id);
      if (answered.size === 60) kill = running!.end('SIGKILL');
    }),
  );
  await kill;
  const recorded = async () => {
    const rows = await t.db.rows<{ id: number }>(sql`
      select id_subscriber as id from ${t.db.t.bounce} b
      join ${t.db.t.subscriber} s on s.fld0 = b.id_subscriber and s.fld44 = 2 where b.id_sent = ${idSent}`);
    return rows.map(({ id }) => id).sort((a, b) => a - b);
  };
  expect(answered.size).toBeGreaterThanOrEqual(60);
  expect(new Set(await recorded())).toEqual(new Set([...answered, ...(await recorded())]));

  const again = await start(path);
  for (const { signed } of requests) expect(await statusOf(again, signed)).toBe(200);
  expect(await recorded()).toEqual(readers.map(({ id }) => id).sort((a, b) => a - b));
});
