import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { App } from '../../platform/app.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { startPostgres } from '../../platform/postgres/embedded.ts';
import { makeApp } from '../../testing/make-app.ts';
import { makeSending, sendingResult } from '../../testing/make-sending.ts';
import { addRelay } from '../../testing/sending-tester.ts';
import { describeOnSmallDisk, mountSmallDisk, type SmallDisk } from '../../testing/small-disk.ts';
import { smtpSink } from '../../testing/smtp-sink.ts';
import { makeTemplate, templateName } from '../../testing/template-database.ts';
import { until } from '../../testing/until.ts';
import { SendingEngine } from './engine.ts';

const recipients = 3_000;

describeOnSmallDisk('a PostgreSQL whose whole disk is full', () => {
  it('ends, and sending waits; with room it is started again, and everybody is written to once', {
    timeout: 300_000,
  }, async () => {
    const disk = mountSmallDisk(192 * 1024 ** 2, '/tmp');
    const postgres = await startPostgres({
      dataDir: join(disk.folder, 'data'),
      log: pino({ level: 'silent' }),
      settings: { fsync: 'off', shared_buffers: '32MB' },
    });
    await makeTemplate(postgres.connection as pg.ClientConfig);
    postgres.keepRunning();
    const connection = { ...postgres.connection, database: templateName };
    let failures = 0;
    const write = (line: string) => {
      if (line.includes('commit failed')) failures += 1;
    };
    const app = appOn(connection, pino({ level: 'warn' }, { write }));
    const db = (await app.site('demo'))!;
    const sink = await smtpSink({ delayMs: 1 });
    const engine = new SendingEngine(app, { pollMs: 20, leaseS: 5 });
    try {
      await addRelay(db, sink.port, { maxConnections: 5 });
      const made = await makeSending(db, { recipients, rangeSize: 500 });
      engine.start();
      await until(() => sink.messages.length >= 300, 'it is under way');
      disk.fill();
      // First the tables cannot grow: rows that find a place in the pages that there are, are commits like any other.
      let [taken, since] = [sink.messages.length, failures];
      await until(
        () => {
          if (sink.messages.length !== taken) [taken, since] = [sink.messages.length, failures];
          return failures - since >= 50;
        },
        'the log is full',
        60_000,
      );
      expect(taken).toBeLessThan(recipients);
      await fillWriteAheadLog(connection, disk);
      disk.free();
      const isFinished = async () => (await sendingResult(db, made)).state === 'Finished';
      // The server is unavailable at first.
      await until(() => isFinished().catch(() => false), 'the end', 120_000);
      expect((await sendingResult(db, made)).receipts).toEqual({ 1: recipients });
      expect(sink.messages).toHaveLength(recipients);
      expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(recipients);
    } finally {
      await engine.stop();
      await sink.close();
      await app.control.pool.end();
      disk.free();
      await postgres.stop();
      disk.close();
    }
  });
});

function appOn(connection: pg.PoolConfig, log: App['log']): App {
  const control = openDatabase({ ...connection, max: 10 }, () => undefined);
  return makeApp(control, { log });
}

/** Uses up what the server keeps of its write-ahead log; it ends where there is no room for another file of it. */
async function fillWriteAheadLog(connection: pg.ClientConfig, disk: SmallDisk): Promise<void> {
  const client = new pg.Client(connection);
  let isBroken = false;
  const broken = () => {
    isBroken = true;
  };
  client.on('error', broken).on('end', broken);
  const isThere = await client.connect().then(
    () => true,
    () => false,
  );
  // It has already ended: earlier attempts have used up the log.
  if (!isThere) return;
  await until(
    async () => {
      disk.fill();
      // Refused as any other statement at first, until the server itself ends.
      await client
        .query(`select pg_logical_emit_message(false, 'filler', repeat('x', 1000)), pg_switch_wal()`)
        .catch(() => undefined);
      return isBroken;
    },
    'the server ends',
    60_000,
  );
  await client.end().catch(() => undefined);
}
