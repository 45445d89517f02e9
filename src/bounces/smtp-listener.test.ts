import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeReturnPath } from '../activity/return-path.ts';
import { sql } from '../platform/db/sql.ts';
import { mailboxLogin } from '../platform/mailbox-login.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { complaint, dsn, plain } from '../testing/reports.ts';
import { type SmtpListener, startSmtpListener } from './smtp-listener.ts';

describe('the SMTP listener', () => {
  let t: TestApp;
  let listener: SmtpListener;
  let subscriber: number;
  let returnPath: string;
  const idSent = 77;

  beforeAll(async () => {
    t = await testApp();
    listener = await startSmtpListener(t.app, 0);
  });
  afterAll(async () => {
    await listener.close();
    await t.close();
  });
  beforeEach(async () => {
    const { bounce, unsubscription, subscriber: people } = t.db.t;
    await t.db.run(sql`delete from ${bounce}`);
    await t.db.run(sql`delete from ${unsubscription}`);
    await t.db.run(sql`delete from ${people}`);
    const made = await t.db.one<{ id: number }>(
      sql`insert into ${people} (fld1) values ('gone@example.test') returning fld0 as id`,
    );
    subscriber = made.id;
    returnPath = makeReturnPath(
      t.app.secrets,
      { idSite: t.db.site.id, idSent, idSubscriber: subscriber },
      'mail.test',
    );
  });

  it('takes a report at the return path, counts it once and marks the subscriber', async () => {
    await send(returnPath, dsn({ to: returnPath }));
    await send(returnPath.toUpperCase(), dsn({ to: returnPath }));
    expect(await bounces()).toEqual([{ idSent, idSubscriber: subscriber, class: 1, status: '5.1.1' }]);
    expect(await state()).toMatchObject({ delivery: 2, status: 0 });
  });

  it('lets a soft bounce not hide a hard one', async () => {
    await send(returnPath, dsn({ to: returnPath }));
    await send(returnPath, dsn({ to: returnPath, status: '4.2.2', messageId: '<2@mx>' }));
    expect((await bounces()).length).toBe(2);
    expect(await state()).toMatchObject({ delivery: 2 });
  });

  it('takes a complaint: counts, marks and unsubscribes', async () => {
    await send(returnPath, complaint({ to: returnPath }));
    expect((await bounces())[0]).toMatchObject({ class: 6 });
    expect(await state()).toMatchObject({ delivery: 3, status: 1 });
    expect(await t.db.rows(sql`select id_sent as "idSent", origin from ${t.db.t.unsubscription}`)).toEqual([
      { idSent, origin: 'complaint' },
    ]);
  });

  it('takes a complaint at the feedback-loop address by the return path that it names', async () => {
    await send('fbl@mail.test', complaint({ to: 'fbl@mail.test', returnPath }));
    expect((await bounces())[0]).toMatchObject({ class: 6, idSubscriber: subscriber });
  });

  it('does nothing for a complaint that names a forged return path', async () => {
    await send('fbl@mail.test', complaint({ to: 'fbl@mail.test', returnPath: forged() }));
    expect(await bounces()).toEqual([]);
  });

  it('counts an automatic reply and leaves the subscriber as he is', async () => {
    await send(returnPath, plain({ to: returnPath, headers: 'Auto-Submitted: auto-replied', text: 'away' }));
    expect((await bounces())[0]).toMatchObject({ class: 3 });
    expect(await state()).toMatchObject({ delivery: 0, status: 0 });
  });

  it('takes a report that nobody can read, and counts nothing', async () => {
    await send(returnPath, `Content-Type: multipart/report; boundary="x"\r\n\r\n\u0000${'\xff'.repeat(500)}`);
    expect((await bounces()).filter((one) => one.class !== 3)).toEqual([]);
  });

  it.each(['someone@else.test', 'b-aaaa@mail.test', 'postmaster@mail.test', 'b-@mail.test'])(
    'refuses mail to %s: it is no relay',
    async (to) => {
      await expect(send(to, 'Subject: x\r\n\r\nx')).rejects.toMatchObject({ responseCode: 550 });
    },
  );

  it('refuses a forged return path', async () => {
    await expect(send(forged(), dsn({ to: returnPath }))).rejects.toMatchObject({ responseCode: 550 });
  });

  it('takes a report to ten return paths and no more, and counts it for each', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => ({
      idSite: t.db.site.id,
      idSent: 100 + n,
      idSubscriber: subscriber,
    }));
    const paths = ids.map((one) => makeReturnPath(t.app.secrets, one, 'mail.test'));
    await send(paths, dsn({ to: returnPath }));
    expect(await bounces()).toHaveLength(10);
  });

  it('refuses a report that is too big', async () => {
    await expect(
      send(returnPath, `Subject: x\r\n\r\n${'x'.repeat(70)}\r\n`.padEnd(3_000_000, 'x\r\n')),
    ).rejects.toMatchObject({ responseCode: 552 });
  });

  it('keeps what our own engine hands over, byte for byte, once a recipient', async () => {
    const raw = 'Subject: =?utf-8?q?=C3=A9t=C3=A9?=\r\n folded\r\nTo: a@x.test\r\n\r\n.dot\r\nline\r\n';
    await send(['a@x.test', 'b@x.test'], raw, mailboxLogin(t.app.secrets));
    const { rows } = await t.app.control.pool.query(
      'select rcpt_to, mail_from, subject, raw from mailbox_message order by rcpt_to',
    );
    expect(rows.map((row) => [row.rcpt_to, row.subject])).toEqual([
      ['a@x.test', 'été folded'],
      ['b@x.test', 'été folded'],
    ]);
    expect(rows[0].raw.toString()).toBe(raw);
  });

  it('refuses a wrong password for the mailbox', async () => {
    await expect(send('a@x.test', 'x', { user: 'mailbox', password: 'guess' })).rejects.toMatchObject({
      responseCode: 535,
    });
  });

  async function send(
    to: string | string[],
    raw: string,
    auth?: { user: string; password: string },
  ): Promise<void> {
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: listener.port, ignoreTLS: true },
      ...(auth && { auth: { user: auth.user, pass: auth.password } }),
    });
    await transport.sendMail({ envelope: { from: 'daemon@mx.test', to }, raw: Buffer.from(raw, 'latin1') });
  }

  const bounces = () =>
    t.db.rows<{ class: number }>(sql`
      select id_sent as "idSent", id_subscriber as "idSubscriber", class, status from ${t.db.t.bounce} order by id`);
  const state = () => t.db.one(sql`select fld44 as delivery, fld7 as status from ${t.db.t.subscriber}`);
  const forged = () => returnPath.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
});
