import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Import } from '../imports/import.ts';
import { findImport } from '../imports/import-store.ts';
import { findMerge } from '../imports/merge-state-store.ts';
import { sql } from '../platform/db/sql.ts';
import type { TestApp } from './app.ts';
import { ExportTester } from './export-tester.ts';
import type { Hold } from './hold.ts';
import { ImportHolds } from './import-holds.ts';
import { type ImportTester, importApp } from './import-tester.ts';

/** Rows of a file that is merged in steps. A step at most doubles, so the last row is never in one with a known row. */
export const rows = 28_000;
/** The first rows, whose subscribers are known, in the order of the file. */
export const known = 12_500;

export const lines = (name: (i: number) => string): string =>
  Array.from({ length: rows }, (_, i) => `u${i}@example.com;${name(i)}\n`).join('');
/** A file that gives all subscribers one name. */
export const file = (): string => `email;name\n${lines(() => 'after')}`;

/** The steps of tests of merges; they share one site. */
export class MergeSteps {
  t!: TestApp;
  tester!: ImportTester;
  exports!: ExportTester;
  holds!: ImportHolds;

  /** Gives it a site, and clears that after each test. */
  static forTests(): MergeSteps {
    const steps = new MergeSteps();
    beforeAll(async () => {
      ({ t: steps.t, tester: steps.tester } = await importApp());
      steps.exports = new ExportTester(steps.t);
      steps.holds = await ImportHolds.install(steps.t);
    });
    afterAll(() => steps.t.close());
    afterEach(async () => {
      await steps.tester.clear();
      await steps.holds.forgetWritten();
      expect(await findMerge(steps.t.db)).toBeUndefined();
    });
    return steps;
  }

  async make(content = file(), parameters = {}): Promise<number> {
    const { db } = this.t;
    await db.run(sql`
      insert into ${db.t.subscriber} (fld1, fld101, fld2, fld3)
      select 'u' || i || '@example.com', 'before', '2020-01-01', '2020-01-01'
      from generate_series(0, ${known - 1}::int) i`);
    await this.holds.forgetWritten();
    this.tester.put(content);
    return (await this.tester.make(parameters)).id;
  }

  /** Runs an import that is stalled, in its steps, until `look` has ended; its end. */
  async whileMerging(id: number, holding: Promise<Hold>, look: () => Promise<void>): Promise<Import> {
    const hold = await holding;
    const running = this.tester.run(id);
    try {
      await hold.reached();
      await look();
    } finally {
      await hold.letGo();
      await running;
    }
    return running;
  }

  /** Subscribers by name, as the table has them now. */
  async names(): Promise<Record<string, number>> {
    const found = await this.t.db.rows<{ name: string; nb: number }>(
      sql`select fld101 as name, count(*)::int as nb from ${this.t.db.t.subscriber} group by 1`,
    );
    return Object.fromEntries(found.map(({ name, nb }) => [name, nb]));
  }

  /** Counts all subscribers through the API. */
  async count() {
    return this.t.call('GET', `/targets/${await this.exports.everybody()}/count`);
  }

  async logOf(id: number) {
    return (await findImport(this.t.db, id))!.lastImportLog!;
  }
}
