import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../platform/log.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ImportTester } from '../../testing/import-tester.ts';
import type { ImportParameters } from '../import.ts';

describe('the log of the service reports an import', () => {
  let t: TestApp;
  let tester: ImportTester;
  const said: Record<string, unknown>[] = [];
  beforeAll(async () => {
    t = await testApp({
      log: openLog('info', { write: (line: string) => void said.push(JSON.parse(line)) }),
    });
    await addCustomFields(t.db);
    tester = new ImportTester(t);
  });
  afterAll(() => t.close());
  afterEach(async () => {
    await tester.clear();
    said.length = 0;
  });

  async function linesOf(parameters: Partial<ImportParameters> = {}): Promise<Record<string, unknown>[]> {
    const { id } = await tester.make(parameters);
    await tester.run(id);
    const about = { site: t.db.site.name, idImport: id, run: 1 };
    const [first, ...rest] = said;
    expect(first).toMatchObject({ level: 30, msg: 'import started', ...about });
    for (const one of rest) expect(one).toMatchObject(about);
    return rest;
  }

  it('its start, and its end with the counters', async () => {
    tester.put('email;name\nada@example.com;Ada\nnobody;Bob\n');
    expect(await linesOf()).toMatchObject([
      {
        level: 30,
        msg: 'import finished',
        totalRows: 2,
        nbInserts: 1,
        nbErrorRows: 1,
        isHeldBySafeMode: false,
      },
    ]);
    expect(JSON.stringify(said)).not.toContain('ada@');
  });

  it('a mistake of its user in one line, without a stack and without what is in the file', async () => {
    const told = { level: 40, msg: 'import failed permanently' };
    const missing = await linesOf({ filename: 'none.csv' });
    expect(missing).toMatchObject([
      { ...told, reason: expect.stringMatching(/^The file none.csv does not exist in sftp\/1 on the host /) },
    ]);
    said.length = 0;
    // Its first line was meant to hold names, and holds a person.
    tester.put('ada@example.com;Ada\nbob@example.com;Bob\n');
    const nameless = await linesOf();
    expect(nameless).toMatchObject([{ ...told, reason: 'The file has no column email' }]);
    for (const line of [...missing, ...nameless]) expect(line).not.toHaveProperty('err');
    expect(JSON.stringify(said)).not.toContain('ada@');
  });
});
