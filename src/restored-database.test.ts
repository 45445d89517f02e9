import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { getCampaign, setScheduleState } from './campaigns/campaign-store.ts';
import { makeFirstThings } from './first-start.ts';
import { adoptInstallation, holdInstallation, markSending } from './installation/check-installation.ts';
import { serverOf } from './installation/installation-store.ts';
import type { App } from './platform/app.ts';
import { openDatabase } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { pauseHeldJobs, resumeCampaign, startJob } from './sending/control-jobs.ts';
import { SendingEngine } from './sending/engine/engine.ts';
import { findJob } from './sending/job-store.ts';
import { generateJob } from './sending/tasks/generate-job.ts';
import { copyDatabase, dropDatabase, serverConnection } from './testing/database.ts';
import { makeApp } from './testing/make-app.ts';
import { makeSending, sendingResult } from './testing/make-sending.ts';
import { makeReadyCampaign } from './testing/sending-campaign.ts';
import { addRelay } from './testing/sending-tester.ts';
import { type SmtpSink, smtpSink } from './testing/smtp-sink.ts';
import { templateName } from './testing/template-database.ts';
import { until } from './testing/until.ts';

let dataDir: string;
let sink: SmtpSink;
let closers: (() => Promise<unknown>)[];
const secret = randomBytes(32);
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-restored-'));
  sink = await smtpSink({ delayMs: 2 });
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  await sink.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function databaseLike(template: string): Promise<string> {
  const name = await copyDatabase(template);
  closers.push(() => dropDatabase(name));
  return name;
}

/** The program over a database, with the one data directory of this test; started as `serve` starts it. */
async function startOn(database: string, before: (app: App) => Promise<unknown> = async () => undefined) {
  const control = openDatabase({ ...serverConnection(), database, max: 8 }, () => undefined);
  const config = { dataDir, databaseUrl: 'postgres://somewhere/facteur' };
  const app = makeApp(control, { config, secret });
  await before(app);
  await makeFirstThings(app);
  await pauseHeldJobs(app);
  const db = (await app.site('demo'))!;
  const mayGoOn = async () => {
    const isFree = await markSending(app);
    if (!isFree) await pauseHeldJobs(app);
    return isFree;
  };
  const engine = new SendingEngine(app, { pollMs: 20, leaseS: 2, mayGoOn });
  let isOpen = true;
  const end = async () => {
    if (!isOpen) return;
    isOpen = false;
    await engine.stop();
    await control.pool.end();
  };
  closers.push(end);
  return { app, db, engine, end };
}

/** Waits until the engine has looked at every job that is offered to it, twice. */
async function looked({ app, db }: { app: App; db: { site: { id: number } } }): Promise<void> {
  for (let n = 0; n < 2; n++) {
    // No job has this number: the engine takes the hint away when its look comes to it, the last one.
    await app.control.run(sql`insert into facteur.sending_job values (${db.site.id}, 2147483647)`);
    const isThere = async () =>
      (await app.control.rows(sql`select from facteur.sending_job where id_job = 2147483647`)).length > 0;
    await until(async () => !(await isThere()), 'a look of the engine');
  }
}

it.each([
  ['a dump of it that is restored', async () => undefined],
  // What point-in-time recovery leaves: the same server and database, with the rows of then.
  [
    'an earlier state of it',
    async ({ control }: App) =>
      control.run(sql`update facteur.installation_epoch set server = ${await serverOf(control)}`),
  ],
])(
  'a database that was sending: %s writes to nobody a second time',
  async (_what, asRestored) => {
    const name = await databaseLike(templateName);
    const first = await startOn(name);
    await addRelay(first.db, sink.port);
    const made = await makeSending(first.db, { recipients: 400, rangeSize: 100 });
    const idCampaign = await makeReadyCampaign(first.db);
    const campaign = await getCampaign(first.db, idCampaign);
    await setScheduleState(first.db, idCampaign, 'Programmed');
    const soon = new Date(Date.now() + 1_000);
    const waiting = await startJob(
      first.db,
      { campaign, isTest: false, scheduledAt: soon, author: 'Ada' },
      soon,
    );
    first.engine.start();
    await until(() => sink.messages.length >= 100, 'a part of the messages');
    await first.end();
    const backup = await databaseLike(name);
    const second = await startOn(name);
    second.engine.start();
    await until(async () => (await sendingResult(second.db, made)).state === 'Finished', 'the rest');
    await second.end();
    expect(sink.messages).toHaveLength(400);

    const restored = await startOn(backup, asRestored);
    restored.engine.start();
    await generateJob.run(restored.app, { idSite: restored.db.site.id, idJob: waiting }, AbortSignal.abort());
    await looked(restored);
    for (const idJob of [made.idJob, waiting]) {
      const job = (await findJob(restored.db, idJob))!;
      expect(job.state).toBe('Paused');
      expect(job.errorInfo).toMatch(/^Sending is held: the database (was restored|is older than the mail)/);
      expect((await getCampaign(restored.db, job.idCampaign)).scheduleState).toBe('Paused');
      const resume = restored.db.transaction(async (tx) =>
        resumeCampaign(tx, await getCampaign(tx, job.idCampaign), new Date()),
      );
      await expect(resume).rejects.toMatchObject({ status: 409, message: job.errorInfo });
    }
    const another = await getCampaign(restored.db, await makeReadyCampaign(restored.db));
    await expect(
      startJob(restored.db, { campaign: another, isTest: true, scheduledAt: soon, author: 'Ada' }, soon),
    ).rejects.toMatchObject({ status: 409 });
    expect(sink.messages).toHaveLength(400);

    await adoptInstallation(restored.app);
    await looked(restored);
    // Paused until its user resumes it, who may.
    expect((await findJob(restored.db, made.idJob))!.state).toBe('Paused');
    expect(sink.messages).toHaveLength(400);
    await restored.end();
    const adopted = await startOn(backup);
    await adopted.db.transaction(async (tx) =>
      resumeCampaign(tx, await getCampaign(tx, idCampaign), new Date()),
    );
    expect((await findJob(adopted.db, waiting))!.state).toBe('Programmed');
  },
  60_000,
);

it('a hold takes effect while a job is running; after it no recipient is omitted or receives twice', async () => {
  const { app, db, engine } = await startOn(await databaseLike(templateName));
  await addRelay(db, sink.port);
  const made = await makeSending(db, { recipients: 600, rangeSize: 100 });
  engine.start();
  await until(() => sink.messages.length >= 50, 'a part of the messages');
  await holdInstallation(app, 'an operator held it');
  await until(async () => (await findJob(db, made.idJob))!.state === 'Paused', 'the pause');
  expect((await findJob(db, made.idJob))!.errorInfo).toContain('an operator held it');
  await adoptInstallation(app);
  await db.transaction(async (tx) => resumeCampaign(tx, await getCampaign(tx, made.idCampaign), new Date()));
  await until(async () => (await sendingResult(db, made)).state === 'Finished', 'the end');
  expect(sink.messages).toHaveLength(600);
  expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(600);
  expect((await findJob(db, made.idJob))!.errorInfo).toBeNull();
});
