import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { siteFolderPath } from '../files/sftp-server.ts';
import { generateJob } from '../sending/tasks/generate-job.ts';
import { setFilter } from '../targets/filter-store.ts';
import type { TestApp } from './app.ts';
import { Hold } from './hold.ts';
import { jobsOf } from './sending-campaign.ts';

/** A job that was requested, and what its task does with it. */
export interface Programmed {
  readonly idJob: number;
  /** @param signal as of a service that ends */
  generate(signal?: AbortSignal): Promise<void>;
}

/** The last job of a campaign, and its generation. */
export async function lastJob(t: TestApp, idCampaign: number): Promise<Programmed> {
  const idJob = (await jobsOf(t.db, idCampaign)).at(-1)!.id;
  const payload = { idSite: t.db.site.id, idJob };
  const generate = (signal = new AbortController().signal) => generateJob.run(t.app, payload, signal);
  return { idJob, generate };
}

/** Asks to have a campaign sent now. */
export async function programmed(t: TestApp, idCampaign: number): Promise<Programmed> {
  expect((await t.call('POST', '/campaigns/send-now', { body: idCampaign })).error).toBe(null);
  return lastJob(t, idCampaign);
}

/** Holds generations where the sendings of a job are made: behind its judgement, before its audience. */
export const holdSents = (t: TestApp): Promise<Hold> =>
  Hold.of(t.connection, `lock table ${t.db.site.schema}.sent in exclusive mode`);

/** Holds generations where the audience is frozen, but no statement that only ends or reads a job. */
export const holdRanges = (t: TestApp): Promise<Hold> =>
  Hold.of(t.connection, `lock table ${t.db.site.schema}.recipient_range in exclusive mode`);

/**
 * Sets a filter with a new file of ids (one a line) on a target, and holds generations where they load that file: they
 * have no transaction in the meantime.
 */
export async function holdFileLoad(t: TestApp, idTarget: number, ids: string): Promise<Hold> {
  const folder = siteFolderPath(t.dataDir, t.db.site.id);
  mkdirSync(folder, { recursive: true });
  const filename = `readers-${idTarget}.csv`;
  writeFileSync(join(folder, filename), ids);
  const definition = { filename, dbFieldName: 'fld0', fileAutomaticDeletionDate: '2027-01-01T00:00:00Z' };
  await setFilter(t.db, { idTarget, kind: 'file', isEnabled: true, definition });
  return Hold.of(t.connection, `lock table ${t.db.site.schema}.filter_file_value in exclusive mode`);
}
