import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { Secrets } from '../../platform/secrets.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import type { StoredExport } from '../export.ts';
import { draftName } from '../export-drafts.ts';
import { findExport } from '../export-store.ts';
import { exportsOperations } from '../operations.ts';
import { clearExportDrafts } from './clear-export-drafts.ts';
import { runExport } from './run-export.ts';

let t: TestApp;
let tester: ExportTester;
let sftp: SftpElsewhere;
let elsewhere: number;
beforeAll(async () => {
  [t, sftp] = await Promise.all([testApp({ operations: exportsOperations }), SftpElsewhere.start()]);
  tester = new ExportTester(t);
  elsewhere = await makeRepository(t.db, t.app.secrets, { ...sftp.access, hostKey: sftp.hostKey });
});
afterAll(() => Promise.all([t.close(), sftp.close()]));
beforeEach(() => mkdirSync(join(sftp.folder, 'out'), { recursive: true }));
afterEach(async () => {
  rmSync(sftp.folder, { recursive: true, force: true });
  await tester.clear();
});

const payload = (idExport: number) => ({ idSite: t.db.site.id, idExport });
const clear = (idExport: number) =>
  clearExportDrafts.run(t.app, payload(idExport), new AbortController().signal);

/** Leaves what a run that is killed while it writes leaves in a folder. */
async function leaveDraft(id: number, folder: string): Promise<string> {
  await t.db.run(sql`update ${t.db.t.export_job} set state = 'RUNNING', runs = runs + 1 where id = ${id}`);
  const name = draftName(t.app, t.db, (await findExport(t.db, id))!);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), 'half');
  return name;
}

/** Names of others that look like ours. */
function strangersOf(of: StoredExport): string[] {
  const other = { ...t.app, secrets: new Secrets(Buffer.alloc(32, 7)) };
  const own = draftName(t.app, t.db, of);
  return [
    draftName(other, t.db, of),
    draftName(t.app, t.db, { ...of, id: of.id + 10 }),
    draftName(t.app, t.otherDb, of),
    draftName(t.app, t.db, { ...of, runs: of.runs + 7 }),
    own.replace(/\d+\.tmp$/, 'notes.csv'),
    `${own}.old`,
    `.facteur-export-demo-${of.id}-2.tmp`,
  ];
}

describe.each(['embedded', 'elsewhere'] as const)('a repository that is %s', (kind) => {
  const place = () =>
    kind === 'embedded'
      ? { folder: join(tester.folder, 'out'), idRepository: 0 }
      : { folder: join(sftp.folder, 'out'), idRepository: elsewhere };

  test('an export whose every run was killed leaves none of its files, and all of others', async () => {
    const { folder, idRepository } = place();
    const id = await tester.create({ idRepository, exportSubFolder: 'out' });
    for (let run = 1; run <= 3; run++) await leaveDraft(id, folder);
    await runExport.gaveUp!(t.app, payload(id));
    const found = (await findExport(t.db, id))!;
    expect(found).toMatchObject({ state: 'FAILED', runs: 4 });
    const strangers = strangersOf(found);
    for (const name of strangers) writeFileSync(join(folder, name), 'not ours');
    const directory = draftName(t.app, t.db, { ...found, runs: 4 });
    mkdirSync(join(folder, directory));
    expect((await tester.jobs('clearExportDrafts')).map((job) => job.payload.idExport)).toEqual([id]);
    await clear(id);
    expect(readdirSync(folder).sort()).toEqual([...strangers, directory].sort());
  });

  test('one that fails permanently after a killed run is cleared as well', async () => {
    const { folder, idRepository } = place();
    const id = await tester.create({ idRepository, exportSubFolder: 'out' });
    await leaveDraft(id, folder);
    await t.db.run(sql`update ${t.db.t.export_job} set request = jsonb_set(request, '{idTarget}', '999999')`);
    // Its own run cannot clear: it is not so far.
    expect(await tester.run(id)).toMatchObject({ state: 'FAILED' });
    expect(await tester.jobs('clearExportDrafts')).toHaveLength(1);
    await clear(id);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('a run that starts leaves files of others alone, too', async () => {
  const id = await tester.create({ idRepository: elsewhere });
  const own = await leaveDraft(id, sftp.folder);
  const strangers = strangersOf((await findExport(t.db, id))!);
  for (const name of strangers) writeFileSync(join(sftp.folder, name), 'not ours');
  expect(await tester.run(id)).toMatchObject({ state: 'COMPLETED', runs: 2 });
  const left = readdirSync(sftp.folder);
  expect(left).not.toContain(own);
  expect(left).toEqual(expect.arrayContaining(strangers));
});

test('an export that is still to run, or does not exist, is left to its runs', async () => {
  const id = await tester.create();
  const draft = await leaveDraft(id, tester.folder);
  await clear(id);
  await clear(999_999);
  expect(tester.files()).toEqual([draft]);
});

test('one that has its file leaves nothing to clear', async () => {
  await tester.export();
  expect(await tester.jobs('clearExportDrafts')).toEqual([]);
});

test('a server that is unavailable is retried; a repository that no longer exists is not', async () => {
  const id = await tester.create({ idRepository: elsewhere });
  await leaveDraft(id, sftp.folder);
  await runExport.gaveUp!(t.app, payload(id));
  const { port } = sftp;
  await sftp.stop();
  await expect(clear(id)).rejects.toThrow('The SFTP server 127.0.0.1');
  await sftp.open(port);
  await clear(id);
  expect(existsSync(sftp.folder) && readdirSync(sftp.folder)).toEqual(['out']);
  await t.db.run(sql`update ${t.db.t.export_job} set id_repository = 4711`);
  await expect(clear(id)).resolves.toBeUndefined();
});
