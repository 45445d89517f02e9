import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerRepository } from '../files/repository-administration.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { describeWith } from '../testing/daemon.ts';
import { OpenSshServer } from '../testing/openssh-server.ts';
import { SftpElsewhere } from '../testing/sftp-elsewhere.ts';
import { until } from '../testing/until.ts';
import { targetsOperations } from './operations.ts';

interface Elsewhere {
  readonly folder: string;
  readonly access: Parameters<typeof registerRepository>[2];
  close(): Promise<void>;
}

/** Tests with a filter's file on a server that reports times in whole seconds, by its own clock. */
function seesEveryChange(start: () => Promise<Elsewhere>): void {
  let t: TestApp;
  let server: Elsewhere;
  let id: number;
  beforeAll(async () => {
    [t, server] = await Promise.all([testApp({ operations: targetsOperations }), start()]);
    await mkdir(server.folder, { recursive: true });
    const { id: idRepository } = await registerRepository(t.app, t.db, server.access);
    await t.db.run(sql`update ${t.db.t.repository} set is_default = (id = ${idRepository})`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1)
      select i, 's' || i || '@example.org' from generate_series(1, 9) i`);
    id = ((await t.call('POST', '/targets', { body: { name: 'List' } })).data as { id: number }).id;
  });
  afterAll(() => Promise.all([t?.close(), server?.close()]));

  const path = (name: string) => join(server.folder, name);
  const set = (filename: string) =>
    t.call('PUT', '/targets/filters/file', {
      body: {
        idTarget: id,
        filename,
        dbFieldName: 'fld1',
        fileAutomaticDeletionDate: '2027-12-01T00:00:00Z',
      },
    });
  const ids = async (): Promise<unknown> => (await t.call('GET', `/targets/${id}/subscriber-ids`)).data;
  const loads = async () => (await t.db.rows(sql`select id from ${t.db.t.filter_file}`)).length;
  /** Waits for the beginning of a second: what comes after it has most of one. */
  const aSecond = () => until(() => Date.now() % 1000 < 100, 'a second to begin');

  test('a file replaced by one of its size just after it was loaded is seen', async () => {
    await aSecond();
    writeFileSync(path('a.csv'), 's1@example.org\n');
    expect(await set('a.csv')).toMatchObject({ status: 200 });
    writeFileSync(path('a.csv'), 's2@example.org\n');
    expect(await ids()).toEqual([2]);
    writeFileSync(path('a.csv'), 's3@example.org\n');
    expect(await ids()).toEqual([3]);
  });

  test('whatever the time of the file says about clocks: hours behind ours, or ahead of it', async () => {
    for (const [name, hours] of [
      ['behind.csv', -48],
      ['ahead.csv', 48],
    ] as const) {
      const second = Math.floor(Date.now() / 1000) + hours * 3600;
      writeFileSync(path(name), 's4@example.org\n');
      utimesSync(path(name), second, second);
      const setting = set(name);
      // The server's clock is still in that second when the second file comes.
      await until(async () => (await open()) > 0, 'the file to be looked at');
      writeFileSync(path(name), 's5@example.org\n');
      utimesSync(path(name), second, second);
      expect(await setting).toMatchObject({ status: 200 });
      expect(await ids()).toEqual([5]);
    }
  });
  /** Sessions in which a file is being loaded. */
  const open = async () =>
    (
      await t.app.control.rows(sql`
        select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
          and query like '%from %filter_file%'`)
    ).length;

  test('a file that has not changed is not read again', async () => {
    writeFileSync(path('b.csv'), 's6@example.org\n');
    expect(await set('b.csv')).toMatchObject({ status: 200 });
    const { mtime } = statSync(path('b.csv'));
    const before = await loads();
    // The one change that no server shows: other content with the same size and time. Reading it would find it.
    writeFileSync(path('b.csv'), 's7@example.org\n');
    utimesSync(path('b.csv'), mtime, mtime);
    for (let i = 0; i < 3; i++) expect(await ids()).toEqual([6]);
    expect(await loads()).toBe(before);
  });
}

describe('on an SFTP server elsewhere', () => seesEveryChange(() => SftpElsewhere.start()));
describeWith('sshd', "on Debian's OpenSSH server", () => seesEveryChange(() => OpenSshServer.start()));
