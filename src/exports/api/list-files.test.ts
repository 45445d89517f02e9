import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerRepository } from '../../files/repository-administration.ts';
import { setDefaultRepository } from '../../files/repository-store.ts';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { filesLimits } from '../../imports/with-repository.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { freePort } from '../../testing/free-port.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { StallingSftp } from '../../testing/stalling-sftp.ts';
import { until } from '../../testing/until.ts';
import type { FileEntry } from '../file-list.ts';

describe('listFiles', () => {
  let t: TestApp;
  let folder: string;
  beforeAll(async () => {
    t = await testApp();
    folder = siteFolderPath(t.dataDir, t.db.site.id);
  });
  afterAll(() => t.close());

  const write = (name: string, content: string, at = '2026-11-20T09:00:00Z') => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, new Date(at), new Date(at));
  };
  const list = (query: object = {}) =>
    t.call('GET', '/files/list', {
      query: { 'filter.sortBy': 'Name', 'filter.order': 'ASC', ...query },
      as: 'editor',
    });
  const entries = async (query: object = {}) => (await list(query)).data as Page;
  const pathsOf = async (query: object = {}) => (await entries(query)).items.map(({ path }) => path);
  interface Page {
    readonly totalCount: number;
    readonly items: readonly FileEntry[];
  }

  it('200 an empty folder, before anything is uploaded and for a name that is no folder', async () => {
    expect(await list()).toMatchObject({
      status: 200,
      data: { totalCount: 0, count: 0, items: [], start: 0 },
    });
    write('plain.csv', 'a\n');
    for (const name of ['nowhere', 'plain.csv', 'plain.csv/deeper'])
      expect(await pathsOf({ folder: name })).toEqual([]);
  });

  it('200 folders first, files in the requested order, page by page', async () => {
    write('été/b.csv', 'b;c\n', '2026-11-20T10:00:00Z');
    write('été/a.csv', 'a;b;c\n', '2026-11-20T08:00:00Z');
    write('été/deep/c.csv', 'c\n');
    write('été/.upload-0.tmp', 'half');
    const { totalCount, items } = await entries({ folder: 'e\u0301te\u0301' });
    expect(totalCount).toBe(3);
    expect(items[0]).toMatchObject({ path: 'été/deep', isFolder: true, sizeInBytes: 0 });
    expect(items[1]).toEqual({
      path: 'été/a.csv',
      isFolder: false,
      sizeInBytes: 6,
      lastUpdateDate: '2026-11-20T08:00:00.000Z',
      idImport: null,
      idExport: null,
    });
    const sorted = (sortBy: string) =>
      pathsOf({ folder: 'été', 'filter.sortBy': sortBy, 'filter.order': 'DESC', 'filter.start': 1 });
    expect(await sorted('LastUpdate')).toEqual(['été/b.csv', 'été/a.csv']);
    expect(await sorted('Size')).toEqual(['été/a.csv', 'été/b.csv']);
    expect(await sorted('Name')).toEqual(['été/b.csv', 'été/a.csv']);
    expect(await pathsOf({ folder: 'été', 'filter.start': 1, 'filter.limit': 1 })).toEqual(['été/a.csv']);
  });

  it('200 with the newest import and export that a file belongs to', async () => {
    const exporter = new ExportTester(t);
    await exporter.export({ filename: 'people.csv', exportSubFolder: 'out' });
    const { done } = await exporter.export({ filename: 'people.csv', exportSubFolder: 'out' });
    const [known] = (await entries({ folder: 'out' })).items;
    expect(known).toMatchObject({ path: 'out/people.csv', idExport: done.id, idImport: null });
    write('in/people.csv', 'email\n');
    write('in/people.csv.errors.csv', 'email\n');
    const idImport = await t.db.value<number>(sql`
      insert into ${t.db.t.import} (id_user, author, parameters, created_at, state, scheduling, scheduled_at)
      values (1, 'Ada', '{"filename": "in/people.csv"}', now(), 'Completed', '{}', now()) returning id`);
    await t.db.run(sql`
      insert into ${t.db.t.import_log} (id_import, run, state, log, ended_at)
      values (${idImport}, 1, 'Completed', '{"filename": "in/people.csv"}', now())`);
    expect((await entries({ folder: 'in' })).items.map((one) => one.idImport)).toEqual([idImport, idImport]);
  });

  it("200 neither links nor another site's files", async () => {
    const other = siteFolderPath(t.dataDir, t.otherDb.site.id);
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'secret.csv'), 'secret');
    write('links/a.csv', 'a\n');
    symlinkSync(other, join(folder, 'links/away'));
    symlinkSync(join(other, 'secret.csv'), join(folder, 'links/secret.csv'));
    expect(await pathsOf({ folder: 'links' })).toEqual(['links/a.csv']);
    expect(await pathsOf({ folder: 'links/away' })).toEqual([]);
  });

  it.each(['..', '../2', '/etc', 'a//b', 'a\\b', './a'])('400 for the folder %j', async (name) => {
    expect(await list({ folder: name })).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^folder: /),
    });
  });

  it('422 for a folder of more than 10,000 entries', async () => {
    mkdirSync(join(folder, 'many'), { recursive: true });
    for (let i = 0; i <= 10_000; i++) writeFileSync(join(folder, 'many', `${i}.csv`), '');
    expect(await list({ folder: 'many' })).toMatchObject({
      status: 422,
      error: expect.stringContaining('more than 10000 entries'),
    });
  });

  it('429 when too many calls of a site wait, while those of another site are answered', async () => {
    const server = await StallingSftp.start();
    const { id } = await registerRepository(t.app, t.db, server.access);
    await setDefaultRepository(t.db, id);
    server.stalls = () => true;
    const calls = Array.from({ length: filesLimits.perOwner + filesLimits.waiting + 1 }, () => list());
    expect((await Promise.race(calls)).status).toBe(429);
    const other = t.call('GET', '/files/list', {
      site: 'other',
      as: 'admin',
      query: { 'filter.sortBy': 'Name', 'filter.order': 'ASC' },
    });
    expect((await other).status).toBe(200);
    await until(() => server.unanswered === filesLimits.perOwner, 'the calls under a permit');
    server.stalls = () => false;
    server.reset();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(filesLimits.perOwner);
    expect(statuses.filter((status) => status === 200)).toHaveLength(filesLimits.waiting);
    await setDefaultRepository(t.db, 0);
    await server.close();
  });

  it('200 the files of the SFTP account that is the default repository; 503 while its server is down', async () => {
    const elsewhere = await SftpElsewhere.start();
    try {
      const { access, hostKey } = elsewhere;
      const id = await makeRepository(t.db, t.app.secrets, { ...access, hostKey });
      await setDefaultRepository(t.db, id);
      mkdirSync(join(elsewhere.folder, 'lists'), { recursive: true });
      writeFileSync(join(elsewhere.folder, 'lists/buyers.csv'), 'email\n');
      expect(await pathsOf()).toEqual(['lists']);
      expect(await pathsOf({ folder: 'lists' })).toEqual(['lists/buyers.csv']);
    } finally {
      await elsewhere.close();
    }
    const port = await freePort();
    await setDefaultRepository(t.db, await makeRepository(t.db, t.app.secrets, { host: '127.0.0.1', port }));
    expect((await list()).status).toBe(503);
    await setDefaultRepository(t.db, 0);
  });
});
