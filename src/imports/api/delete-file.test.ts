import { existsSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OpenUploads, openUploadsBeside } from '../../files/open-uploads.ts';
import { setDefaultRepository } from '../../files/repository-store.ts';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { freePort } from '../../testing/free-port.ts';
import { Hold } from '../../testing/hold.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { untilWaiting } from '../../testing/until-waiting.ts';
import { beginAttempt, insertImport } from '../import-store.ts';

describe('deleteFile', () => {
  let t: TestApp;
  let folder: string;
  beforeAll(async () => {
    t = await testApp();
    folder = siteFolderPath(t.dataDir, t.db.site.id);
  });
  afterAll(() => t.close());

  const write = (name: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), 'email\n');
  };
  const remove = (name: string) => t.call('DELETE', '/files', { query: { name }, as: 'editor' });
  const isThere = (name: string) => existsSync(join(folder, name));
  const plan = (state: string, filename: string, scheduling = '{}') =>
    t.db.value<number>(sql`
      insert into ${t.db.t.import} (id_user, author, parameters, created_at, state, scheduling, scheduled_at)
      values (1, 'Ada', ${JSON.stringify({ filename })}::jsonb, now(), ${state}, ${scheduling}::jsonb,
        '2026-11-25T01:30:00Z')
      returning id`);

  it('200 deletes a file, by either form of its accents', async () => {
    write('été/a.csv');
    expect(await remove('e\u0301te\u0301/a.csv')).toMatchObject({ status: 200, data: true });
    expect(isThere('été/a.csv')).toBe(false);
    expect(isThere('été')).toBe(true);
  });

  it.each(['../secret', '/etc/passwd', 'a//b', 'a\\b', '.'])('400 for the name %j', async (name) => {
    expect(await remove(name)).toMatchObject({ status: 400, error: expect.stringMatching(/^name: /) });
  });

  it('404 for a folder, links, and what does not exist; nothing is deleted', async () => {
    const secret = join(t.dataDir, 'secret');
    writeFileSync(secret, 'secret');
    write('folder/a.csv');
    symlinkSync(secret, join(folder, 'link'));
    symlinkSync(t.dataDir, join(folder, 'away'));
    linkSync(secret, join(folder, 'hard'));
    for (const name of ['folder', 'link', 'away/secret', 'nothing.csv', 'folder/a.csv/b'])
      expect([name, await remove(name)]).toMatchObject([name, { status: 404, error: 'File not found' }]);
    // Only the second name of the file is removed.
    await remove('hard');
    expect([existsSync(secret), isThere('folder/a.csv')]).toEqual([true, true]);
  });

  it("404 for another site's file", async () => {
    const other = siteFolderPath(t.dataDir, t.otherDb.site.id);
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'theirs.csv'), 'email\n');
    expect((await remove('theirs.csv')).status).toBe(404);
    expect(existsSync(join(other, 'theirs.csv'))).toBe(true);
  });

  it('409 while an import reads it or waits for it; not for a later file of a recurring one', async () => {
    for (const name of ['reading.csv', 'waiting.csv', 'paused.csv', 'night_20261125.csv', 'nightly.csv'])
      write(name);
    const nightly = (filenameTemplate: string) =>
      JSON.stringify({ isRecurring: true, recurringInfos: { filenameTemplate } });
    const reading = await plan('InProgress', 'reading.csv');
    const waiting = await plan('Scheduled', 'waiting.csv');
    await plan('Paused', 'paused.csv');
    const running = await plan('InProgress', '', nightly('night_{yyyy}{MM}{dd}.csv'));
    await plan('Scheduled', 'nightly.csv', nightly('nightly.csv'));
    const refusal = (id: number) => `The file is needed by import ${id}; delete or change that first`;
    expect(await remove('reading.csv')).toMatchObject({ status: 409, error: refusal(reading) });
    expect(await remove('waiting.csv')).toMatchObject({ status: 409, error: refusal(waiting) });
    expect((await remove('paused.csv')).status).toBe(409);
    expect(await remove('night_20261125.csv')).toMatchObject({ status: 409, error: refusal(running) });
    expect((await remove('nightly.csv')).status).toBe(200);
    await t.db.run(sql`update ${t.db.t.import} set state = 'Completed'`);
    expect((await remove('reading.csv')).status).toBe(200);
  });

  it('409 while the filter of a target names it', async () => {
    write('lists/buyers.csv');
    const idTarget = await makeTarget(t.db);
    const definition = {
      filename: 'lists/buyers.csv',
      dbFieldName: 'fld1',
      fileAutomaticDeletionDate: '2027-12-31T23:00:00Z',
    };
    await t.db.transaction((tx) => setFilter(tx, { idTarget, kind: 'file', isEnabled: true, definition }));
    expect(await remove('lists/buyers.csv')).toMatchObject({
      status: 409,
      error: `The file is needed by target ${idTarget}; delete or change that first`,
    });
    await t.db.run(sql`delete from ${t.db.t.target_filter}`);
    expect((await remove('lists/buyers.csv')).status).toBe(200);
  });

  describe('409 when the file becomes needed while it is being deleted', () => {
    let elsewhere: SftpElsewhere;
    let path: string;
    beforeEach(async () => {
      elsewhere = await SftpElsewhere.start();
      const { access, hostKey } = elsewhere;
      await setDefaultRepository(t.db, await makeRepository(t.db, t.app.secrets, { ...access, hostKey }));
      path = join(elsewhere.folder, 'late.csv');
      mkdirSync(elsewhere.folder, { recursive: true });
      writeFileSync(path, 'email\n');
    });
    afterEach(async () => {
      await setDefaultRepository(t.db, 0);
      await elsewhere.close();
      await t.db.run(sql`delete from ${t.db.t.import}`);
      await t.db.run(sql`delete from ${t.db.t.target_filter}`);
    });
    const at = new Date('2026-11-25T09:00:00Z');
    const parameters = { filename: 'late.csv', columnMapping: [] };
    const newImport = { idUser: 1, author: 'Ada', parameters, scheduledAt: at, at };

    it('by an import that is created while the connection is being opened', async () => {
      elsewhere.meanwhile = () =>
        t.call('POST', '/imports/immediate', {
          body: {
            parameters: {
              filename: 'late.csv',
              columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
            },
          },
          as: 'editor',
        });
      const error = expect.stringMatching(/^The file is needed by import \d+;/);
      expect(await remove('late.csv')).toMatchObject({ status: 409, error });
      expect(existsSync(path)).toBe(true);
    });

    it('by an import that is not stored yet', async () => {
      const removed = await t.db.transaction(async (tx) => {
        await insertImport(tx, newImport);
        const removed = remove('late.csv');
        await untilWaiting(t.app.control, 'select pg_advisory_xact_lock(%');
        return { removed };
      });
      expect((await removed.removed).status).toBe(409);
      expect(existsSync(path)).toBe(true);
    });

    it('by the filter of a target', async () => {
      const idTarget = await makeTarget(t.db);
      elsewhere.meanwhile = () => setFileFilter(idTarget);
      const error = `The file is needed by target ${idTarget}; delete or change that first`;
      expect(await remove('late.csv')).toMatchObject({ status: 409, error });
      expect(existsSync(path)).toBe(true);
    });

    it.each([
      ['an import', () => t.db.transaction((tx) => insertImport(tx, newImport))],
      ['a run of an import', begin],
      ['a filter', async () => setFileFilter(await makeTarget(t.db))],
    ])('%s waits for a deletion that runs', async (_, need) => {
      const hold = await Hold.of(t.connection, {
        text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [`files of ${t.db.site.schema}`],
      });
      const needed = need();
      await hold.reached();
      await hold.letGo();
      await needed;
    });

    async function begin() {
      const id = await plan('Scheduled', 'late.csv');
      await t.db.transaction((tx) => beginAttempt(tx, id, 1, at));
    }
    async function setFileFilter(idTarget: number) {
      const body = {
        idTarget,
        filename: 'late.csv',
        dbFieldName: 'fld1',
        fileAutomaticDeletionDate: '2027-12-31T23:00:00Z',
      };
      writeFileSync(path, 'email\nada@example.com\n');
      const reply = await t.call('PUT', '/targets/filters/file', { body });
      expect([reply.status, reply.error]).toEqual([200, null]);
    }
  });

  it('503 while a client uploads the file', async () => {
    write('half.csv');
    const uploads = new OpenUploads(openUploadsBeside(folder));
    const end = await uploads.begin(statSync(join(folder, 'half.csv')).ino);
    expect((await remove('half.csv')).status).toBe(503);
    await end();
    uploads.close();
    expect((await remove('half.csv')).status).toBe(200);
  });

  it('200 for a file of the SFTP account that is the default repository; 503 while its server is down', async () => {
    const elsewhere = await SftpElsewhere.start();
    try {
      const { access, hostKey } = elsewhere;
      await setDefaultRepository(t.db, await makeRepository(t.db, t.app.secrets, { ...access, hostKey }));
      mkdirSync(elsewhere.folder, { recursive: true });
      writeFileSync(join(elsewhere.folder, 'people.csv'), 'email\n');
      write('people.csv');
      expect((await remove('people.csv')).status).toBe(200);
      expect([existsSync(join(elsewhere.folder, 'people.csv')), isThere('people.csv')]).toEqual([
        false,
        true,
      ]);
      expect((await remove('people.csv')).status).toBe(404);
    } finally {
      await elsewhere.close();
    }
    const port = await freePort();
    await setDefaultRepository(t.db, await makeRepository(t.db, t.app.secrets, { host: '127.0.0.1', port }));
    expect((await remove('people.csv')).status).toBe(503);
  });
});
