import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { siteFinder } from '../../platform/db/sites.ts';
import { sql } from '../../platform/db/sql.ts';
import { crashRun } from '../../testing/crash-run.ts';
import { cloneDatabase } from '../../testing/database.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { addRelay } from '../../testing/sending-tester.ts';
import { smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { WorkerProcess } from '../../testing/worker-process.ts';

describe('kill -9', () => {
  it('of workers and of PostgreSQL leaves nobody out and writes to nobody twice', {
    timeout: 200_000,
  }, async () => {
    const connections = 5;
    const kills = 3;
    const plan = { recipients: 2_000, connections, kills, postgresKills: 2, sinkDelayMs: 2 };
    const { result, ...report } = await crashRun(plan);
    expect(report).toMatchObject({ twice: 0, lost: 0, unexplained: 0, held: undefined });
    expect(result.open).toBe(0);
    const { 1: accepted = 0, 4: uncertain = 0 } = result.receipts;
    expect(accepted + uncertain).toBe(2_000);
    expect(uncertain).toBe(report.openAtKills.reduce((sum, open) => sum + open, 0));
    expect(Math.max(...report.openAtKills)).toBeLessThanOrEqual(connections);
    expect(uncertain).toBeLessThanOrEqual(connections * kills);
    expect(result.state).toBe(uncertain > 0 ? 'FinishedWithErrors' : 'Finished');
  });
});

describe('a worker that froze for longer than its lease', () => {
  it('cannot write to anybody a second time, nor change what the next one recorded', async () => {
    const { database, connection, close } = await cloneDatabase();
    const db = (await siteFinder(database).site('demo'))!;
    const sink = await smtpSink({ delayMs: 3 });
    await addRelay(db, sink.port, { maxConnections: 6 });
    const made = await makeSending(db, { recipients: 1_500, rangeSize: 300 });
    const settings = { connection, secret: randomBytes(32).toString('hex'), leaseS: 1, pollMs: 100 };
    const frozen = new WorkerProcess(settings);
    const workers = [frozen];
    try {
      await until(() => sink.messages.length >= 200, 'the first worker sends');
      frozen.child.kill('SIGSTOP');
      const takenBefore = sink.messages.length;
      await database.run(sql`delete from facteur.connection_permit`);
      workers.push(new WorkerProcess(settings));
      await until(() => sink.messages.length >= takenBefore + 300, 'the second worker sends');
      frozen.child.kill('SIGCONT');
      const { receipts, open } = await sendingFinished(db, made);
      expect(open).toBe(0);
      expect((receipts[1] ?? 0) + (receipts[4] ?? 0)).toBe(1_500);
      expect(receipts[4] ?? 0).toBeLessThanOrEqual(6);
      expect(new Set(sink.messages.map((one) => one.to)).size).toBe(sink.messages.length);
    } finally {
      for (const worker of workers) await worker.end('SIGKILL');
      await sink.close();
      await close();
    }
  });
});
