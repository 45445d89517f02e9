import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ImportTester } from '../../testing/import-tester.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('an import of a site whose default repository is elsewhere', () => {
  let t: TestApp;
  let tester: ImportTester;
  let elsewhere: SftpElsewhere;
  let id: number;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
    await addCustomFields(t.db);
    tester = new ImportTester(t);
    const body = elsewhere.at('in');
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body });
    ({ id } = made.data as { id: number });
    mkdirSync(join(elsewhere.folder, 'in'), { recursive: true });
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));
  beforeEach(async () => {
    await tester.clear();
    await choose(id);
  });

  const choose = (idRepository: number) =>
    t.call('PUT', '/admin/v1/sites/demo/default-repository', { body: { idRepository } });
  const run = async () => tester.run((await tester.make({})).id);

  /** A run that is retried later, and says why. */
  async function failed(why: string): Promise<void> {
    const { id, importState } = await run();
    expect(importState).toBe('InProgress');
    expect(Object.keys(await tester.jobsOf(id))).toEqual(['1']);
    const [row] = await t.db.rows<{ trouble: string }>(
      sql`select trouble from ${t.db.t.import} where id = ${id}`,
    );
    expect(row?.trouble).toContain(why);
  }

  it('reads the file there, and puts the refused rows beside it', async () => {
    tester.put('email;name\nwrong@example.com;here\n');
    writeFileSync(join(elsewhere.folder, 'in/people.csv'), 'email;name\na@example.com;there\nno address;x\n');
    expect(await run()).toMatchObject({ importState: 'Completed', lastImportLog: { nbInserts: 1 } });
    expect(await tester.people()).toMatchObject([{ email: 'a@example.com', name: 'there' }]);
    expect(readFileSync(join(elsewhere.folder, 'in/people.csv.errors.csv'), 'utf8')).toContain('no address');
    await choose(0);
    expect(await run()).toMatchObject({ importState: 'Completed', lastImportLog: { nbInserts: 1 } });
    expect(await tester.people()).toHaveLength(2);
  });

  it('changes nothing while the server is unavailable or shows another key', async () => {
    writeFileSync(join(elsewhere.folder, 'in/people.csv'), 'email;name\na@example.com;there\n');
    const { port } = elsewhere;
    await elsewhere.stop();
    await failed('it does not accept connections');
    await elsewhere.open(port);
    await elsewhere.changeKey();
    await failed('not the known one');
    expect(await tester.people()).toEqual([]);
  });
});
