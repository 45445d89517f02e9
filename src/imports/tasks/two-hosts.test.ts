import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, appWith } from '../../platform/app.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { deliverErrorFile } from '../error-delivery.ts';
import { findLog } from '../import-log-store.ts';
import { findImport } from '../import-store.ts';
import { runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
/** A worker on another host: it has a data directory of its own, and shares `sftp/` alone. */
let other: App;
let otherDir: string;
beforeAll(async () => {
  ({ t, tester } = await importApp());
  otherDir = mkdtempSync(join(tmpdir(), 'facteur-other-host-'));
  mkdirSync(join(t.dataDir, 'sftp'), { recursive: true });
  symlinkSync(join(t.dataDir, 'sftp'), join(otherDir, 'sftp'));
  other = appWith(t.app, { config: { ...t.app.config, dataDir: otherDir } });
});
afterAll(async () => {
  await t.close();
  rmSync(otherDir, { recursive: true });
});

const signal = () => new AbortController().signal;

it('rejected rows of an import reach its repository whichever host delivers them', async () => {
  for (let n = 0; n < 8; n++) {
    const filename = `people${n}.csv`;
    tester.put(`email;name\nno address ${n};x\n`, filename);
    const { id } = await tester.make({ filename });
    await runImport.run(n % 2 ? t.app : other, { idSite: t.db.site.id, idImport: id, run: 1 }, signal());
    const log = (await findLog(t.db, id))!;
    expect(await deliverErrorFile(n % 2 ? other : t.app, t.db, id, log.log.id, signal())).toBeUndefined();
    expect(tester.errorFile(filename)).toContain(`no address ${n}`);
  }
  expect(existsSync(join(otherDir, 'import-errors'))).toBe(false);
});

it('an import without its file says which host looked where', async () => {
  const { id } = await tester.make({ filename: 'none.csv' });
  await runImport.run(other, { idSite: t.db.site.id, idImport: id, run: 1 }, signal());
  expect((await findImport(t.db, id))!.lastImportLog!.errorMessage).toBe(
    `The file none.csv does not exist in sftp/${t.db.site.id} on the host ${hostname()}`,
  );
});
