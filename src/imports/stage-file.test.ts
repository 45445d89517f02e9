import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LocalRepository } from '../files/local-repository.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import { sql } from '../platform/db/sql.ts';
import { base } from '../testing/import-tester.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { ErrorFile } from './error-file.ts';
import { importSettings } from './import-settings.ts';
import { RefusedCells } from './refused-cells.ts';
import { stageFile } from './stage-file.ts';

let site: TestSite;
let folder: string;
beforeAll(async () => {
  site = await testSite();
  folder = mkdtempSync(join(tmpdir(), 'facteur-stage-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await site.close();
});

it('stops while a file is brought here of which no row has come yet', async () => {
  const settings = importSettings({ ...base, filename: 'endless.zip' });
  writeFileSync(join(folder, 'endless.zip'), 'PK');
  const local = await LocalRepository.open(folder);
  function* endless() {
    yield Buffer.from('PK\x03\x04');
    for (;;) yield Buffer.alloc(65_536);
  }
  const read: RepositoryFiles['read'] = async () => Readable.from(endless(), { objectMode: false });
  const pause = new AbortController();
  let pieces = 0;
  const tmpDir = join(folder, 'tmp');
  const staged = stageFile(site.db, {
    settings,
    fields: new Map(),
    files: { stat: (name) => local.stat(name), read } as RepositoryFiles,
    stage: sql`nothing`,
    errors: new ErrorFile(join(tmpDir, 'errors.csv'), settings.table.csv),
    refused: new RefusedCells(tmpDir),
    fileRead: null,
    isCareful: false,
    tmpDir,
    at: new Date(),
    signal: pause.signal,
    progress: async () => {
      if (++pieces === 20) pause.abort(new Error('paused'));
    },
  });
  await expect(staged).rejects.toThrow('paused');
  expect(readdirSync(tmpDir)).toEqual([]);
});
