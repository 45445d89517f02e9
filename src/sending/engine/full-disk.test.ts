import pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { serverConnection } from '../../testing/database.ts';
import { type MadeSending, makeSending, sendingResult } from '../../testing/make-sending.ts';
import { addRelay } from '../../testing/sending-tester.ts';
import { describeOnSmallDisk, mountSmallDisk, type SmallDisk } from '../../testing/small-disk.ts';
import { smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { SendingEngine } from './engine.ts';

describeOnSmallDisk('a log whose disk is full', () => {
  it('lets no message leave whose intent finds no room, and continues by itself when there is room', async () => {
    let failures = 0;
    const write = (line: string) => {
      if (line.includes('commit failed')) failures += 1;
    };
    const test = await testApp({ log: pino({ level: 'warn' }, { write }) });
    const sink = await smtpSink({ delayMs: 1 });
    const { directory } = await test.app.control.one<{ directory: string }>(
      sql`select current_setting('data_directory') as directory`,
    );
    const disk = mountSmallDisk(1024 ** 2, directory);
    const engine = new SendingEngine(test.app, { pollMs: 20, leaseS: 5 });
    try {
      await putLogOn(test, disk);
      await addRelay(test.db, sink.port, { maxConnections: 5 });
      const made = await makeSending(test.db, { recipients: 3_000, rangeSize: 500 });
      engine.start();
      await until(() => sink.messages.length >= 300, 'it is under way');
      disk.fill();
      // Rows that fit into existing pages of the log are committed as usual; after that nothing is sent.
      let [taken, since] = [sink.messages.length, failures];
      await until(() => {
        if (sink.messages.length !== taken) [taken, since] = [sink.messages.length, failures];
        return failures - since >= 100;
      }, 'the log is full');
      expect(await withoutIntent(test.db, made, [...sink.messages])).toEqual([]);
      expect(taken).toBeLessThan(3_000);
      expect((await sendingResult(test.db, made)).state).toBe('Sending');
      disk.free();
      await until(async () => (await sendingResult(test.db, made)).state === 'Finished', 'the end');
      expect((await sendingResult(test.db, made)).receipts).toEqual({ 1: 3_000 });
      expect(sink.messages).toHaveLength(3_000);
      expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(3_000);
    } finally {
      await engine.stop();
      await sink.close();
      await test.close();
      await dropTablespace();
      disk.close();
    }
  });
});

/** Recipients of messages of which neither the log nor a receipt knows. */
async function withoutIntent(
  db: SiteDb,
  made: MadeSending,
  messages: readonly { readonly to: string }[],
): Promise<string[]> {
  const rows = await db.rows<{ email: string }>(sql`
    select s.fld1 as email
    from (
      select unnest(intents) as id from ${db.t.send_log} where id_job = ${made.idJob}
      union select id_subscriber from ${db.t.receipt} where id_sent = ${made.idSent}) known
      join ${db.t.subscriber} s on s.fld0 = known.id`);
  const known = new Set(rows.map(({ email }) => email));
  return messages.map(({ to }) => to).filter((to) => !known.has(to));
}

/** Once the database with its tables no longer exists. */
async function dropTablespace(): Promise<void> {
  const client = new pg.Client(serverConnection());
  await client.connect();
  await client.query('drop tablespace if exists small').finally(() => client.end());
}

async function putLogOn({ app, db }: TestApp, disk: SmallDisk): Promise<void> {
  // A name of a folder of ours; CREATE TABLESPACE takes no parameters.
  await app.control.pool.query(`create tablespace small location '${disk.folder}'`);
  await db.run(sql`alter table ${db.t.send_log} set tablespace small`);
  for (const index of ['send_log_pkey', 'send_log_range'])
    await db.run(sql`alter index ${db.name(index)} set tablespace small`);
}
