import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ExportRequest, StoredExport } from '../exports/export.ts';
import { findExport, lastExport } from '../exports/export-store.ts';
import { runExport } from '../exports/tasks/run-export.ts';
import { sql } from '../platform/db/sql.ts';
import type { TestApp } from './app.ts';
import { makeTarget } from './campaign-makers.ts';
import { folderOf } from './site-files.ts';

/** Creates exports over the API, runs them in process, and reads the files. */
export class ExportTester {
  readonly #t: TestApp;
  #everybody: number | undefined;

  constructor(t: TestApp) {
    this.#t = t;
  }

  get folder(): string {
    return folderOf(this.#t);
  }

  /** The id of a target without filters. */
  async everybody(): Promise<number> {
    this.#everybody ??= await makeTarget(this.#t.db, { isSafe: false });
    return this.#everybody;
  }

  /** The usual export, changed as given: addresses of all subscribers, in UTF-8, to people.csv. */
  async request(given: Partial<ExportRequest> = {}): Promise<ExportRequest> {
    return {
      idTarget: await this.everybody(),
      idsFields: ['1'],
      idsEncodeFields: [],
      encoding: 'None',
      typeList: 'ID',
      filename: 'people.csv',
      codePage: 65001,
      ...given,
    };
  }

  /** Creates an export; its id. */
  async create(given: Partial<ExportRequest> = {}): Promise<number> {
    const { status, error } = await this.#t.call('POST', '/exports', { body: await this.request(given) });
    expect([status, error]).toEqual([200, null]);
    return (await lastExport(this.#t.db))!.id;
  }

  /** One run of it; how it is then. */
  async run(id: number, app = this.#t.app): Promise<StoredExport> {
    const { db } = this.#t;
    await runExport.run(app, { idSite: db.site.id, idExport: id }, new AbortController().signal);
    return (await findExport(db, id))!;
  }

  /** Exports, which must succeed; the export and the file's bytes. */
  async export(given: Partial<ExportRequest> = {}): Promise<{ done: StoredExport; bytes: Buffer }> {
    const done = await this.run(await this.create(given));
    expect([done.state, done.message]).toEqual(['COMPLETED', '']);
    const { data } = await this.#t.call('GET', '/exports/state', { query: { idExport: done.id } });
    return { done, bytes: readFileSync(join(this.folder, (data as { filepath: string }).filepath)) };
  }

  /** The same; the file as text in UTF-8. */
  async text(given: Partial<ExportRequest> = {}): Promise<string> {
    return (await this.export(given)).bytes.toString();
  }

  /** Names of what is in the site's folder, with sub-folders. */
  files(): string[] {
    return existsSync(this.folder) ? (readdirSync(this.folder, { recursive: true }) as string[]).sort() : [];
  }

  async add(email: string, columns: Record<string, unknown> = {}): Promise<void> {
    const names = ['fld1', ...Object.keys(columns)].join(', ');
    const values = [email, ...Object.values(columns)];
    await this.#t.app.control.pool.query(
      `insert into ${this.#t.db.t.subscriber.text} (${names}) values (${values.map((_, i) => `$${i + 1}`)})`,
      values,
    );
  }

  /** Jobs of a task that wait, with when they are due. */
  async jobs(name: string): Promise<{ runAt: Date; payload: { idExport: number } }[]> {
    return this.#t.db.rows(sql`
      select j.run_at as "runAt", j.payload from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = ${name} order by j.id`);
  }

  /** Takes everybody, all exports, their jobs and all files away. */
  async clear(): Promise<void> {
    const { db } = this.#t;
    await db.run(sql`truncate ${db.t.subscriber}, ${db.t.export_job} restart identity`);
    await db.run(sql`delete from graphile_worker._private_jobs`);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
