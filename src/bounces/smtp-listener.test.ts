import { createTransport } from 'nodemailer';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LinkKind, makeToken } from '../activity/link-token.ts';
import { makeReturnPath } from '../activity/return-path.ts';
import { sql } from '../platform/db/sql.ts';
import { mailboxLogin } from '../platform/mailbox-login.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { complaint, dsn, plain } from '../testing/reports.ts';
import { type SmtpListener, startSmtpListener } from './smtp-listener.ts';
import { trimMailbox } from './tasks/trim-mailbox.ts';

describe('the SMTP listener', () => {
  let t: TestApp;
  let listener: SmtpListener;
  let subscriber: number;
  let returnPath: string;
  let unsubscribeLink: string;
  const idSent = 77;
  const fbl = 'fbl@mail.test';
  const logged: Record<string, unknown>[] = [];
  const registry = new Registry();

  beforeAll(async () => {
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    t = await testApp({ log });
    listener = await startSmtpListener(t.app, 0, registry);
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
    const ids = { idSite: t.db.site.id, idSent, idSubscriber: subscriber };
    returnPath = makeReturnPath(t.app.secrets, ids, 'mail.test');
    unsubscribeLink = `https://mail.test/u/${makeToken(t.app.secrets, { kind: 'unsub', ...ids })}`;
    await t.app.control.run(sql`delete from facteur.mailbox_message`);
    logged.length = 0;
    registry.resetMetrics();
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

  it.each([
    ['Original-Mail-From', () => complaint({ to: fbl, returnPath })],
    [
      'Return-Path of the enclosed message',
      () => complaint({ to: fbl, head: `Return-Path: <${returnPath}>` }),
    ],
    ['Received-SPF, where a forwarder wrapped it', () => complaint({ to: fbl, head: wrapped(returnPath) })],
    ['List-Unsubscribe', () => complaint({ to: fbl, head: `List-Unsubscribe: <${unsubscribeLink}>` })],
    [
      'List-Unsubscribe, folded, with all addresses redacted',
      () =>
        complaint({
          to: fbl,
          returnPath: 'redacted@mail.test',
          head: `Return-Path: <redacted@mail.test>\nList-Unsubscribe:\n <${unsubscribeLink}>,\n <mailto:x@y.test>`,
        }),
    ],
    [
      'the head alone (text/rfc822-headers)',
      () => complaint({ to: fbl, type: 'text/rfc822-headers', head: `Return-Path: <${returnPath}>` }),
    ],
    [
      'the head alone of internationalised mail',
      () =>
        complaint({
          to: fbl,
          type: 'message/global-headers',
          head: `List-Unsubscribe: <${unsubscribeLink}>`,
        }),
    ],
    [
      'an encoded message',
      () => {
        const head = `List-Unsubscribe: <${unsubscribeLink}>`;
        const type = 'text/rfc822-headers\nContent-Transfer-Encoding: quoted-printable';
        return complaint({ to: fbl, type, head: head.replace(/(?<=\/u\/.{10})/, '=\n') });
      },
    ],
  ])('takes a complaint at the feedback-loop address by what we signed: %s', async (_by, made) => {
    await send(fbl, made());
    expect(await bounces()).toMatchObject([{ class: 6, idSent, idSubscriber: subscriber }]);
    expect(await state()).toMatchObject({ delivery: 3, status: 1 });
    expect([await lost(), logged]).toEqual([{}, []]);
  });

  it('takes the return path that a report names before a link, and a true claim behind forged ones', async () => {
    const made = await t.db.one<{ id: number }>(
      sql`insert into ${t.db.t.subscriber} (fld1) values ('other@example.test') returning fld0 as id`,
    );
    const other = { kind: 'unsub', idSite: t.db.site.id, idSent, idSubscriber: made.id } as const;
    const link = `https://mail.test/u/${makeToken(t.app.secrets, other)}`;
    const head = `List-Unsubscribe: <${link}>\nReturn-Path: <${forged()}>\nReturn-Path: <${returnPath}>`;
    await send(fbl, complaint({ to: fbl, returnPath: forged(), head }));
    expect(await bounces()).toMatchObject([{ class: 6, idSubscriber: subscriber }]);
  });

  it('counts a complaint once that comes to the return path and to the feedback-loop address', async () => {
    await send([returnPath, fbl], complaint({ to: fbl, head: `List-Unsubscribe: <${unsubscribeLink}>` }));
    expect(await bounces()).toHaveLength(1);
  });

  it('takes a delivery report at the feedback-loop address by a return path, and never by a link', async () => {
    await send(fbl, dsn({ to: fbl, head: `List-Unsubscribe: <${unsubscribeLink}>` }));
    expect([await bounces(), await lost()]).toEqual([[], { dsn: 1 }]);
    await send(fbl, dsn({ to: fbl, head: `Return-Path: <${returnPath}>` }));
    expect(await bounces()).toMatchObject([{ class: 1, idSubscriber: subscriber }]);
  });

  it.each([
    ['nothing', () => ({})],
    [
      'only the address',
      () => ({ fields: 'Original-Rcpt-To: <gone@example.test>\nRemoval-Recipient: gone@x.test' }),
    ],
    ['a forged return path', () => ({ returnPath: forged(), head: `Return-Path: <${forged()}>` })],
    ['a forged link', () => ({ head: `List-Unsubscribe: <${altered(unsubscribeLink)}>` })],
    [
      'a link of another kind',
      () => ({ head: `List-Unsubscribe: <${linkOf('click')}>, <${linkOf('mirror')}>` }),
    ],
    ['our Message-ID', () => ({ head: `Message-ID: <${t.db.site.id}.${idSent}.${subscriber}@mail.test>` })],
    ['what its body quotes', () => ({ body: `Return-Path: <${returnPath}>\n\n${unsubscribeLink}` })],
  ])('does nothing for a complaint that names %s, and tells the operator', async (_what, parts) => {
    await send(fbl, complaint({ to: fbl, ...parts() }));
    expect(await bounces()).toEqual([]);
    expect(await state()).toMatchObject({ delivery: 0, status: 0 });
    expect(await lost()).toEqual({ complaint: 1 });
    expect(logged).toMatchObject([
      { level: 40, kind: 'complaint', msg: 'a report names no recipient that we signed' },
    ]);
    // Nothing of the message: it is about a person.
    expect(Object.keys(logged[0]!).sort()).toEqual([
      'bytes',
      'hostname',
      'kind',
      'level',
      'msg',
      'pid',
      'time',
    ]);
  });

  it('reports other mail at the feedback-loop address, except reports that are not bounces', async () => {
    await send(fbl, plain({ to: fbl, text: `${unsubscribeLink} ${returnPath}` }));
    await send(fbl, complaint({ to: fbl, feedbackType: 'not-spam' }));
    await send(fbl, dsn({ to: fbl, action: 'delayed' }));
    expect([await bounces(), await lost(), logged.length]).toEqual([[], { reply: 1 }, 1]);
  });

  it('reports a report that is nested too deep to be read', async () => {
    const deep = Array.from(
      { length: 60 },
      (_, i) => `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}`,
    );
    await send(fbl, deep.join('\r\n'));
    expect([await lost(), logged.map((one) => one.msg)]).toEqual([{ unreadable: 1 }, ['unreadable report']]);
  });

  it('counts an automatic reply and leaves the subscriber as they are', async () => {
    await send(returnPath, plain({ to: returnPath, headers: 'Auto-Submitted: auto-replied', text: 'away' }));
    expect((await bounces())[0]).toMatchObject({ class: 3 });
    expect(await state()).toMatchObject({ delivery: 0, status: 0 });
  });

  it('takes a report that nobody can read, and counts nothing', async () => {
    await send(returnPath, `Content-Type: multipart/report; boundary="x"\r\n\r\n\u0000${'\xff'.repeat(500)}`);
    expect((await bounces()).filter((one) => one.class !== 3)).toEqual([]);
  });

  it.each(['someone@else.test', 'b-aaaa@mail.test', 'postmaster@else.test', 'b-@mail.test'])(
    'refuses mail to %s: it is no relay',
    async (to) => {
      await expect(send(to, 'Subject: x\r\n\r\nx')).rejects.toMatchObject({ responseCode: 550 });
    },
  );

  it.each([
    ['postmaster', 'postmaster@mail.test'],
    ['POSTMASTER@Mail.Test', 'postmaster@mail.test'],
    ['abuse@mail.test', 'abuse@mail.test'],
    ['Abuse@shop.test', 'abuse@mail.test'],
  ])('keeps mail to %s where the administrator reads it', async (to, rcptTo) => {
    await t.call('POST', `/admin/v1/sites/${t.db.site.name}/sending-domains`, {
      body: { domain: 'shop.test' },
    });
    const raw = 'Subject: Spam from you\r\nExpires: Thu, 01 Jan 2026 00:00:00 +0000\r\n\r\nStop it.\r\n';
    await send(to, raw);
    const list = await t.call('GET', '/admin/v1/mailbox', { query: { 'filter.rcptTo': rcptTo } });
    expect(list.data).toMatchObject({ totalCount: 1, items: [{ rcptTo, subject: 'Spam from you' }] });
    const { id } = (list.data as { items: { id: number }[] }).items[0]!;
    expect((await t.call('GET', `/admin/v1/mailbox/${id}`)).data).toEqual({ raw });
    const told = logged.filter(({ msg }) => msg !== 'administration');
    expect(told).toMatchObject([{ level: 30, to: [rcptTo] }]);
    expect(await bounces()).toEqual([]);
  });

  it('counts a report that also goes to the postmaster, and keeps it there', async () => {
    await send([returnPath, 'postmaster@mail.test', 'abuse@mail.test'], dsn({ to: returnPath }));
    expect(await bounces()).toMatchObject([{ class: 1 }]);
    const kept = await t.app.control.rows(
      sql`select rcpt_to as "to" from facteur.mailbox_message order by rcpt_to`,
    );
    expect(kept).toEqual([{ to: 'abuse@mail.test' }, { to: 'postmaster@mail.test' }]);
  });

  it('keeps a hundred messages to the postmaster an hour, and nothing above 256 kB', async () => {
    const to = 'postmaster@mail.test';
    await expect(send(to, 'x\r\n'.repeat(90_000))).rejects.toMatchObject({ responseCode: 552 });
    await t.app.control.run(sql`
      insert into facteur.mailbox_message (received_at, mail_from, rcpt_to, subject, raw)
      select ${t.clock.now()}, '', ${to}, 'flood', 'x' from generate_series(1, 100)`);
    for (const one of [to, 'abuse@mail.test'])
      await expect(send(one, 'Subject: x\r\n\r\nx')).rejects.toMatchObject({ responseCode: 452 });
    t.clock.advance(3_600_001);
    await send(to, 'Subject: x\r\n\r\nx');
    await t.app.control.run(sql`
      insert into facteur.mailbox_message (received_at, mail_from, rcpt_to, subject, raw)
      select ${t.clock.now()}, '', case when n > 1000 then 'reader@x.test' else ${to} end, 'old', 'x'
      from generate_series(1, 1001) n`);
    await trimMailbox.run(t.app, {}, new AbortController().signal);
    const left = await t.app.control.rows(sql`
      select rcpt_to as "to", count(*)::int as n from facteur.mailbox_message group by rcpt_to order by rcpt_to`);
    expect(left).toEqual([
      { to, n: 1_000 },
      { to: 'reader@x.test', n: 1 },
    ]);
  });

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
      'select rcpt_to, mail_from, subject, raw from facteur.mailbox_message order by rcpt_to',
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
  const altered = (link: string) => link.replace(/.(?=.$)/, (one) => (one === 'a' ? 'b' : 'a'));
  const linkOf = (kind: LinkKind) =>
    `https://mail.test/u/${makeToken(t.app.secrets, { kind, idSite: t.db.site.id, idSent, idSubscriber: subscriber })}`;
  const wrapped = (path: string) =>
    `Return-Path: <x@y.test>\nReceived-SPF: pass (y.test: ok) client-ip=192.0.2.1;\n envelope-from="SRS0=h=m=${path}"`;

  /** The metric of lost reports, by kind, without zeros. */
  async function lost(): Promise<Record<string, number>> {
    const metric = await registry.getSingleMetric('facteur_reports_lost_total')!.get();
    const found = metric.values.filter(({ value }) => value > 0);
    return Object.fromEntries(found.map(({ labels, value }) => [labels.kind, value]));
  }
});
