import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { addRelay } from '../../testing/sending-tester.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { WorkerProcess } from '../../testing/worker-process.ts';
import { finishJob } from '../engine/finish.ts';
import { notifyDelivery } from './notify-delivery.ts';

let t: TestApp;
let sink: SmtpSink;
let hangs = false;
const workers: WorkerProcess[] = [];
beforeAll(async () => {
  t = await testApp();
  sink = await smtpSink({ misdeed: () => (hangs ? 'takeAndHang' : undefined) });
  await addRelay(t.db, sink.port);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
  sink.messages.length = 0;
  hangs = false;
});
afterAll(() => Promise.all([t.close(), sink.close()]));

function start(): WorkerProcess {
  const secret = randomBytes(32).toString('hex');
  const worker = new WorkerProcess({ connection: t.connection, secret, runsTasks: true });
  workers.push(worker);
  return worker;
}

const queue = sql`
  graphile_worker._private_jobs where task_id = (
    select id from graphile_worker._private_tasks where identifier = ${notifyDelivery.name})`;
const isTold = async () => (await t.db.rows(sql`select from ${queue}`)).length === 0;

/** A job of which nearly all messages were delivered a day ago; the Message-ID of its notice. */
async function due(): Promise<string> {
  const parameters = { name: 'Spring', subject: 'It is here', notifyHighDelivrability: true };
  const idCampaign = await makeCampaign(t.db, { parameters });
  const { idJob, idsSent } = await makeJob(t.db, { idCampaign, state: 'Sending' });
  const accepted = Array.from({ length: 100 }, (_, index) => index + 1);
  await makeReceipts(t.db, idJob, idsSent[0]!, { accepted, at: t.clock.now() });
  await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = 'InProgress' where id = ${idCampaign}`);
  expect(await finishJob(t.db, idJob, t.clock.now())).toBe(true);
  await t.db.run(sql`update graphile_worker._private_jobs set run_at = now()`);
  return `delivery-${t.db.site.id}-${idJob}@mail.test`;
}
const noticesInSink = () => sink.messages.map(({ messageId }) => messageId);

describe('a notice of high delivery whose process is killed -9', () => {
  it('before it is handed over comes once', async () => {
    const id = await due();
    // The author is read last.
    const hold = await Hold.of(t.connection, 'lock table facteur.app_user in access exclusive mode');
    const worker = start();
    await hold.reached();
    await worker.end('SIGKILL');
    await hold.letGo();
    expect([await isTold(), noticesInSink()]).toEqual([false, []]);
    start();
    await until(isTold, 'the next process tells');
    expect(noticesInSink()).toEqual([id]);
  });

  it('before the relay has said that it took it comes again, under the same Message-ID', async () => {
    hangs = true;
    const id = await due();
    const worker = start();
    await until(() => sink.messages.length > 0, 'the relay has it');
    await worker.end('SIGKILL');
    expect(await isTold()).toBe(false);
    hangs = false;
    start();
    await until(isTold, 'the next process tells');
    expect(noticesInSink()).toEqual([id, id]);
  });

  it('before the queue knows that it was sent comes again, under the same Message-ID', async () => {
    const id = await due();
    const early = await Hold.of(t.connection, 'lock table facteur.app_user in access exclusive mode');
    const worker = start();
    await early.reached();
    // The queue takes a task by a lock on its row, as this hold does; by now it has.
    const task = `select from graphile_worker._private_jobs where key like 'delivery %' for update`;
    const hold = await Hold.of(t.connection, task);
    await early.letGo();
    await hold.reached();
    expect(noticesInSink()).toEqual([id]);
    await worker.end('SIGKILL');
    await hold.letGo();
    // PostgreSQL may or may not run the last statement of the killed process: notified again, or recorded as notified.
    start();
    await until(isTold, 'it is told');
    expect(new Set(noticesInSink())).toEqual(new Set([id]));
    expect(noticesInSink().length).toBeLessThanOrEqual(2);
  });
});
