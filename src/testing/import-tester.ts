import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deliverErrorFile } from '../imports/error-delivery.ts';
import type { Import, ImportLog, ImportParameters } from '../imports/import.ts';
import { findLog } from '../imports/import-log-store.ts';
import { findImport, insertImport } from '../imports/import-store.ts';
import { finishImport } from '../imports/tasks/finish-import.ts';
import { runImport } from '../imports/tasks/run-import.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { type TestApp, type TestAppOptions, testApp } from './app.ts';
import { addCustomFields } from './custom-fields.ts';
import { folderOf, putFile } from './site-files.ts';

/** One mapping of a column of the file. */
export const column = (id: number, name: string, format?: string) => ({
  dbFieldName: `fld${id}`,
  idMappingMode: 1,
  fileColumnName: name,
  ...(format && { format }),
});

/** The usual parameters of an import: `people.csv` in UTF-8 with the columns `email` and `name`. */
export const base = {
  filename: 'people.csv',
  codepage: 65001,
  columnMapping: [column(1, 'email'), column(101, 'name')],
};

/** An app whose site has the custom fields, and what runs imports of files there. */
export async function importApp(options?: TestAppOptions): Promise<{ t: TestApp; tester: ImportTester }> {
  const t = await testApp(options);
  await addCustomFields(t.db);
  return { t, tester: new ImportTester(t) };
}

/** Puts files into the site's folder, runs imports of them in process, and looks at what they did. */
export class ImportTester {
  readonly #t: TestApp;

  constructor(t: TestApp) {
    this.#t = t;
  }

  get folder(): string {
    return folderOf(this.#t);
  }

  put(content: string | Buffer, name = 'people.csv'): void {
    putFile(this.#t, name, content);
  }

  async make(parameters: Partial<ImportParameters>): Promise<Import> {
    const at = this.#t.clock.now();
    const given = { ...base, ...parameters };
    return insertImport(this.#t.db, { idUser: 1, author: 'Ada', parameters: given, scheduledAt: at, at });
  }

  /** Runs what is planned of an import now, and puts the rows that were refused beside its file. */
  async run(id: number): Promise<Import> {
    const { app, db } = this.#t;
    const run = await db.value<number>(sql`select run from ${db.t.import} where id = ${id}`);
    await runImport.run(app, { idSite: db.site.id, idImport: id, run }, new AbortController().signal);
    const log = await findLog(db, id);
    if (log) await deliverErrorFile(app, db, id, log.log.id, new AbortController().signal);
    return (await findImport(db, id))!;
  }

  /** Schedules an import over the API. */
  async schedule(schedulingInfos: object, parameters: Partial<ImportParameters> = {}): Promise<Import> {
    const body = { parameters: { ...base, ...parameters }, schedulingInfos };
    const { data, error } = await this.#t.call('POST', '/imports/scheduled', { body });
    expect(error).toBeNull();
    return data;
  }

  /** When the jobs in the queue run that are of an import, by the number of the run. */
  async jobsOf(id: number): Promise<Record<string, string>> {
    const jobs = await this.#t.db.rows<{ run: number; at: Date }>(sql`
      select (payload ->> 'run')::int as run, run_at as at from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'runImport'
      where (payload ->> 'idImport')::int = ${id}`);
    return Object.fromEntries(jobs.map(({ run, at }) => [run, at.toISOString()]));
  }

  /** Imports a text, which must succeed; its log, whose counters add up. */
  async import(content: string | Buffer, parameters: Partial<ImportParameters> = {}): Promise<ImportLog> {
    this.put(content, parameters.filename);
    const done = await this.run((await this.make(parameters)).id);
    expect(done.importState).toBe('Completed');
    const log = done.lastImportLog!;
    expect(log.totalRows).toBe(log.nbValidations + log.nbErrorRows + log.nbBadFormattedRows);
    expect(log.nbValidations).toBe(log.totalDuplicateKeys + log.totalUpdates + log.totalInserts);
    return log;
  }

  /** Does what follows the end of a run, by its log. */
  async finish(idLog: number): Promise<void> {
    const { app, db } = this.#t;
    const log = sql`select id_import from ${db.t.import_log} where id = ${idLog}`;
    const idImport = await db.value<number>(log);
    const payload = { idSite: db.site.id, idImport, idLog };
    await finishImport.run(app, payload, new AbortController().signal);
  }

  errorFile(name = 'people.csv'): string {
    return readFileSync(join(this.folder, `${name}.errors.csv`), 'utf8');
  }

  async people(columns: Sql = sql`fld0 as id, fld1 as email, fld101 as name`) {
    return this.#t.db.rows(sql`select ${columns} from ${this.#t.db.t.subscriber} order by fld0`);
  }

  async add(
    email: string,
    name: string | null,
    rest: { status?: number; client?: number } = {},
  ): Promise<void> {
    await this.#t.db.run(sql`
      insert into ${this.#t.db.t.subscriber} (fld1, fld101, fld7, fld43, fld2, fld3)
      values (${email}, ${name}, ${rest.status ?? 0}, ${rest.client ?? null}, '2020-01-01', '2020-01-01')`);
  }

  /** Takes everybody and all files away. */
  async clear(): Promise<void> {
    await this.#t.db.run(sql`truncate ${this.#t.db.t.subscriber} restart identity`);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Staging tables that were left behind. */
  async stages() {
    return this.#t.db.rows(sql`select tablename from pg_tables where tablename like 'import%stage'`);
  }
}
