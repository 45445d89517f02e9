import { createTransport } from 'nodemailer';
import { expect, it } from 'vitest';
import { openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { mailboxLogin } from '../platform/mailbox-login.ts';
import { testApp } from '../testing/app.ts';
import { tcpProxy } from '../testing/tcp-proxy.ts';
import { until } from '../testing/until.ts';
import { startSmtpListener } from './smtp-listener.ts';

it('a message with an in-doubt commit is stored once, and accepted', async () => {
  const t = await testApp({ operations: [] });
  const proxy = await tcpProxy(t.connection);
  const control = openDatabase({ ...proxy.connection, max: 2 }, () => undefined);
  const listener = await startSmtpListener({ ...t.app, control }, 0);
  const { user, password: pass } = mailboxLogin(t.app.secrets);
  const auth = { user, pass };
  const mailer = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true, auth });
  const send = (subject: string) =>
    mailer.sendMail({ from: 'a@example.test', to: 'b@example.test', subject, text: 'Hello' });
  const kept = () =>
    t.app.control.rows<{ subject: string }>(sql`select subject from facteur.mailbox_message order by id`);
  try {
    await send('First');
    // PostgreSQL commits, its answer does not arrive, and then the connection breaks.
    proxy.hold();
    const sending = send('Second');
    await until(async () => (await kept()).length === 2, 'the second one is committed');
    proxy.cut();
    proxy.restore();
    expect((await sending).response).toMatch(/^250/);
    expect(await kept()).toEqual([{ subject: 'First' }, { subject: 'Second' }]);
  } finally {
    mailer.close();
    proxy.restore();
    await listener.close();
    await control.pool.end();
    await proxy.close();
    await t.close();
  }
});
