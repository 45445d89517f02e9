import { raw, sql } from '../platform/db/sql.ts';
import type { TestApp } from './app.ts';
import { Hold } from './hold.ts';

/** Points at which a run of an import can be made to stall. */
export class ImportHolds {
  readonly #t: TestApp;

  private constructor(t: TestApp) {
    this.#t = t;
  }

  /** Prepares the site, and begins to count the committed writes of each subscriber. */
  static async install(t: TestApp): Promise<ImportHolds> {
    const { db } = t;
    const { schema } = db.site;
    const statements = [
      `create table ${schema}.written (id int not null)`,
      `create function ${schema}.note_written() returns trigger language plpgsql as
         $$ begin insert into ${schema}.written values (new.fld0); return null; end $$`,
      `create trigger written after insert or update on ${schema}.subscriber
         for each row execute function ${schema}.note_written()`,
      `create function ${schema}.hold_row() returns trigger language plpgsql as
         $$ begin
              perform pg_advisory_xact_lock_shared(7, 7);
              perform pg_advisory_xact_lock_shared(8, substring(tg_table_name from '^import_(\\d+)_')::int);
              return new;
            end $$`,
      `create function ${schema}.hold_stage() returns event_trigger language plpgsql as $$
       declare made record;
       begin
         for made in select * from pg_event_trigger_ddl_commands() where object_identity ~ '_stage$' loop
           execute format('create trigger hold before insert on %s for each row execute function ${schema}.hold_row()',
                          made.object_identity);
         end loop;
       end $$`,
      `create event trigger hold_stage on ddl_command_end when tag in ('CREATE TABLE')
         execute function ${schema}.hold_stage()`,
    ];
    for (const statement of statements) await db.run(sql`${raw(statement)}`);
    return new ImportHolds(t);
  }

  #hold(statement: string): Promise<Hold> {
    return Hold.of(this.#t.connection, statement);
  }

  /** While the file is read, of one import or of any: at the first row that is copied. */
  staging(idImport?: number): Promise<Hold> {
    return this.#hold(`select pg_advisory_xact_lock(${idImport === undefined ? '7, 7' : `8, ${idImport}`})`);
  }

  /** After the file was read, before the merge. */
  merge(): Promise<Hold> {
    const name = `merge ${this.#t.db.site.schema}`;
    return this.#hold(`select pg_advisory_xact_lock(hashtextextended('${name}', 0))`);
  }

  /** In the merge, at a subscriber that it changes. */
  update(id: number): Promise<Hold> {
    return this.#hold(`select from ${this.#t.db.site.schema}.subscriber where fld0 = ${id} for update`);
  }

  /** In the merge, at an address that it inserts. */
  insert(email: string): Promise<Hold> {
    return this.#hold(`insert into ${this.#t.db.site.schema}.subscriber (fld1) values ('${email}')`);
  }

  /** At the very end of the merge, when the log is written and the jobs that follow are added. */
  end(): Promise<Hold> {
    return this.#hold('lock table graphile_worker._private_jobs in share mode');
  }

  /** After the commit of the merge, before the queue knows that the job is done. */
  completion(idImport: number): Promise<Hold> {
    return this.#hold(`
      select from graphile_worker._private_jobs where (payload ->> 'idImport')::int = ${idImport} for update`);
  }

  /** How often subscribers were written, and how many of them. */
  async written(): Promise<{ times: number; people: number }> {
    return this.#t.db.one(sql`
      select count(*) as times, count(distinct id) as people from ${this.#t.db.name('written')}`);
  }

  async forgetWritten(): Promise<void> {
    await this.#t.db.run(sql`truncate ${this.#t.db.name('written')}`);
  }
}
