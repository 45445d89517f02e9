import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { behavesAsRepository } from '../testing/repository-behaviour.ts';
import { SftpElsewhere } from '../testing/sftp-elsewhere.ts';
import { openRepository } from './open-repository.ts';
import { embeddedRepository, inputFault, normalSubfolder } from './repository.ts';
import {
  chooseDefaultRepository,
  registerRepository,
  removeRepository,
} from './repository-administration.ts';

let t: TestApp;
let elsewhere: SftpElsewhere;

beforeAll(async () => {
  [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
});
afterAll(() => Promise.all([t.close(), elsewhere.close()]));

const register = (rest: object = {}) => registerRepository(t.app, t.db, { ...elsewhere.access, ...rest });

describe('the default repository', () => {
  behavesAsRepository(() => openRepository(t.app, t.db, null));
});

describe('an external repository', () => {
  let id: number;
  beforeAll(async () => {
    ({ id } = await register(elsewhere.at('/shared/ours/')));
  });
  behavesAsRepository(() => openRepository(t.app, t.db, id));

  it('keeps its files below its subfolder', async () => {
    const files = await openRepository(t.app, t.db, id);
    await files.write('a/b.csv', Readable.from(['x']));
    expect(readFileSync(join(elsewhere.folder, 'shared/ours/a/b.csv'), 'utf8')).toBe('x');
    await files.close();
  });

  it('says in one sentence that the server is unavailable, or forbids, and nothing of the secrets', async () => {
    const other = await SftpElsewhere.start();
    const { id } = await registerRepository(t.app, t.db, other.access);
    await t.db.run(sql`update ${t.db.t.repository} set login = 'them' where id = ${id}`);
    await expect(openRepository(t.app, t.db, id)).rejects.toMatchObject({
      status: 503,
      message: 'The SFTP server 127.0.0.1 cannot be used: it refuses the login',
    });
    await other.close();
    await expect(openRepository(t.app, t.db, id)).rejects.toMatchObject({
      status: 503,
      message: 'The SFTP server 127.0.0.1 cannot be used: it does not accept connections',
    });
  });

  it('is not connected to when its host leads inside, even if it was registered before', async () => {
    const strict = { ...t.app, config: { ...t.app.config, privateNetworks: [] } };
    const seen = elsewhere.told.length;
    await expect(openRepository(strict, t.db, id)).rejects.toMatchObject({ status: 422 });
    expect(elsewhere.told).toHaveLength(seen);
  });
});

describe('which repository is meant', () => {
  it('null is the one that was chosen, 0 always the folder of the embedded server', async () => {
    const { id } = await register(elsewhere.at('chosen'));
    await chooseDefaultRepository(t.db, id);
    const chosen = await openRepository(t.app, t.db, null);
    await chosen.write('x.csv', Readable.from(['there']));
    await chosen.close();
    expect(readFileSync(join(elsewhere.folder, 'chosen/x.csv'), 'utf8')).toBe('there');
    const own = await openRepository(t.app, t.db, embeddedRepository);
    expect(await own.stat('x.csv')).toBeUndefined();
    await chooseDefaultRepository(t.db, embeddedRepository);
    const again = await openRepository(t.app, t.db, null);
    expect(await again.stat('x.csv')).toBeUndefined();
  });

  it('404 for one that is unknown, deleted, or of another site', async () => {
    const { id } = await register();
    await expect(openRepository(t.app, t.otherDb, id)).rejects.toMatchObject({ status: 404 });
    await removeRepository(t.app, t.db, id);
    for (const gone of [id, 999])
      await expect(openRepository(t.app, t.db, gone)).rejects.toMatchObject({
        status: 404,
        message: 'Repository not found',
      });
  });
});

describe('links planted in the folder of the embedded server', () => {
  const root = () => join(t.dataDir, 'sftp', String(t.db.site.id));
  beforeAll(() => {
    mkdirSync(root(), { recursive: true });
    writeFileSync(join(t.dataDir, 'secret'), 'secret');
    symlinkSync(join(t.dataDir, 'secret'), join(root(), 'link.csv'));
    linkSync(join(t.dataDir, 'secret'), join(root(), 'hard.csv'));
    symlinkSync(t.dataDir, join(root(), 'dir'));
  });

  test('are not read, not listed, and replaced by what is written under their name', async () => {
    const files = await openRepository(t.app, t.db, null);
    await expect(files.read('link.csv')).rejects.toThrow('Permission denied');
    await expect(files.read('hard.csv')).rejects.toThrow('second name');
    await expect(files.read('dir/secret')).rejects.toThrow('A link is in the way');
    expect(
      (await files.list('')).map(({ name }) => name).filter((name) => /link|hard|dir/.test(name)),
    ).toEqual([]);
    for (const name of ['link.csv', 'hard.csv']) {
      await files.write(name, Readable.from(['mine']));
      expect(await text(await files.read(name))).toBe('mine');
    }
    await expect(files.write('dir/secret', Readable.from(['mine']))).rejects.toThrow('A link is in the way');
    expect(readFileSync(join(t.dataDir, 'secret'), 'utf8')).toBe('secret');
    expect(readdirSync(root()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

test.each([
  ['', ''],
  [null, ''],
  ['in', 'in'],
  ['in/out//', 'in/out'],
  ['/srv/in/', '/srv/in'],
  ['/', '/'],
  ['//', '/'],
])('the subfolder %j is kept as %j', (given, keptAs) => {
  expect(normalSubfolder(given)).toBe(keptAs);
});

test.each([
  [{ subfolder: 'a/../..' }, "subfolder: must not hold '..'"],
  [{ subfolder: 'a\\b' }, 'subfolder: must not hold a back-slash'],
  [{ password: '' }, 'password: must not be empty'],
  [{ privateKey: 'secret' }, 'privateKey: must be a private key'],
])('an input with %j breaks a rule', (part, fault) => {
  expect(inputFault({ host: 'h', login: 'l', ...part })).toContain(fault);
});
