import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../config.ts';
import { openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { copyDatabase, dropDatabase, onServer, serverConnection } from '../testing/database.ts';
import { FixedClock } from '../testing/fixed-clock.ts';
import { templateName } from '../testing/template-database.ts';
import { adoptInstallation, checkInstallation, holdInstallation, markSending } from './check-installation.ts';
import { renewIdentity } from './data-dir-identity.ts';
import { currentEpoch, currentHold } from './installation-store.ts';

/** A database of this test's server, and a data directory: what an installation consists of. */
type Installation = ReturnType<typeof install>;

let folder: string;
let closers: (() => Promise<unknown>)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'facteur-installation-'));
  closers = [];
});
afterEach(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates a database as a copy of another, which must have no connection, and returns its name. */
async function databaseLike(template: string): Promise<string> {
  const name = await copyDatabase(template);
  closers.push(() => dropDatabase(name));
  return name;
}

/** The folder's embedded database is played by a database of the tests' server; `url` makes it one of one's own. */
function install(database: string, dataDir = folder, url?: string) {
  const control = openDatabase({ ...serverConnection(), database, max: 3 }, () => undefined);
  closers.unshift(() => control.pool.end());
  const config: Config = { ...readConfig({}), dataDir, databaseUrl: url };
  const app = {
    config,
    control,
    clock: new FixedClock('2026-11-20T10:00:00Z'),
    log: pino({ level: 'silent' }),
  };
  return {
    app,
    database,
    start: async () => {
      await control.run(
        sql`insert into facteur.installation (secret_check) values ('') on conflict do nothing`,
      );
      return (await checkInstallation(app))?.why;
    },
    mark: () => markSending(app),
    adopt: () => adoptInstallation(app),
    held: async () => (await currentHold(control))?.why,
    /** Ends its connections, as a dump or a copy of the database needs it here. */
    leave: () => control.pool.end().then(() => closers.shift()),
  };
}

async function begun(url?: string): Promise<Installation> {
  const made = install(await databaseLike(templateName), folder, url);
  expect(await made.start()).toBeUndefined();
  expect(await made.mark()).toBe(true);
  return made;
}

/** Returns a function that restores an earlier state: all rows as they were, on the same server. */
async function earlierState(made: Installation): Promise<() => Promise<void>> {
  const { control } = made.app;
  await control.run(sql`create table facteur.kept as table facteur.installation_epoch`);
  return async () => {
    await control.run(sql`delete from facteur.installation_epoch`);
    await control.run(sql`insert into facteur.installation_epoch overriding system value table facteur.kept`);
  };
}

describe.each([
  ['the embedded database', undefined],
  ['a database of one’s own', 'postgres://somewhere/facteur'],
])('with %s', (_name, url) => {
  it('starts again and again without a word', async () => {
    const made = await begun(url);
    for (let n = 0; n < 3; n++) {
      expect(await install(made.database, folder, url).start()).toBeUndefined();
      expect(await made.mark()).toBe(true);
    }
    expect((await currentEpoch(made.app.control))?.mark).toBe(4);
  });

  it('holds a restored dump, until it is adopted', async () => {
    const made = await begun(url);
    await made.leave();
    const copy = install(await databaseLike(made.database), folder, url);
    expect(await copy.start()).toBe('the database was restored from a dump, or cloned');
    expect(await copy.mark()).toBe(false);
    // A restart does not end it.
    expect(await install(copy.database, folder, url).start()).toContain('a dump');
    await copy.adopt();
    expect(await copy.held()).toBeUndefined();
    expect(await copy.mark()).toBe(true);
    expect(await install(copy.database, folder, url).start()).toBeUndefined();
    // The original is not affected by its copy, but this data directory is now the copy's.
    expect(await install(made.database, folder, url).start()).toContain('older than the mail');
  });

  it('holds an earlier state of the same database, at a start and under a running process', async () => {
    const made = await begun(url);
    const restore = await earlierState(made);
    expect(await made.mark()).toBe(true);
    await restore();
    expect(await made.mark()).toBe(false);
    expect(await made.held()).toContain('older than the mail');
    await made.adopt();
    expect(await made.mark()).toBe(true);
    // Restores the state from before the adoption.
    await restore();
    expect(await made.start()).toContain('older than the mail');
  });

  it('begins again with a new database beside an old data directory', async () => {
    await begun(url);
    const name = await databaseLike(templateName);
    const fresh = install(name, folder, url);
    await fresh.app.control.run(sql`delete from facteur.site`);
    expect(await fresh.start()).toBeUndefined();
    expect(await fresh.mark()).toBe(true);
    expect(await install(name, folder, url).start()).toBeUndefined();
  });

  it('holds a database from before epochs, when mail has left since', async () => {
    await begun(url);
    const old = install(await databaseLike(templateName), folder, url);
    expect(await old.start()).toContain('older than the mail');
    await old.adopt();
    expect(await install(old.database, folder, url).start()).toBeUndefined();
  });

  it('raises no alarm, wherever it was killed', async () => {
    // Before the row of the first epoch was there.
    renewIdentity(folder);
    const made = install(await databaseLike(templateName), folder, url);
    expect(await made.start()).toBeUndefined();
    expect(await made.mark()).toBe(true);
    // Between the commit of a mark and its file.
    await made.app.control.run(sql`update facteur.installation_epoch set mark = mark + 1`);
    // Killed while it wrote a file.
    writeFileSync(join(folder, '.sending-mark-0123456789ab'), '{"epo');
    expect(await made.start()).toBeUndefined();
    expect(await made.mark()).toBe(true);
  });

  it('raises no alarm when it was killed during an adoption', async () => {
    const made = await begun(url);
    const restore = await earlierState(made);
    await made.mark();
    await restore();
    const before = readFileSync(join(folder, 'sending-mark'));
    expect(await made.start()).toContain('older');
    await made.adopt();
    writeFileSync(join(folder, 'sending-mark'), before);
    expect(await made.start()).toBeUndefined();
  });
});

it('several machines share a database, each with a data directory that may come and go', async () => {
  const url = 'postgres://somewhere/facteur';
  const one = await begun(url);
  const elsewhere = mkdtempSync(join(folder, 'second-'));
  const two = install(one.database, elsewhere, url);
  for (const machine of [two, one, one, two, two]) {
    expect(await machine.start()).toBeUndefined();
    expect(await machine.mark()).toBe(true);
  }
  rmSync(elsewhere, { recursive: true });
  const third = install(one.database, mkdtempSync(join(folder, 'third-')), url);
  expect(await third.start()).toBeUndefined();
  // An adoption on one machine is none of the others' alarms.
  await third.adopt();
  expect(await one.start()).toBeUndefined();
  expect(await one.mark()).toBe(true);
});

it('a data directory that was copied with its embedded database is held, its original is not', async () => {
  const made = await begun();
  const elsewhere = `${folder}-copy`;
  cpSync(folder, elsewhere, { recursive: true, preserveTimestamps: true });
  closers.push(async () => rmSync(elsewhere, { recursive: true, force: true }));
  const copy = install(made.database, elsewhere);
  expect(await copy.start()).toBe('the data directory was restored from a backup, or copied');
  await made.app.control.run(sql`update facteur.installation set held_why = null, held_since = null`);
  expect(await made.start()).toBeUndefined();
  await copy.adopt();
  expect(await copy.start()).toBeUndefined();
});

it('an embedded database in another data directory is held', async () => {
  const made = await begun();
  const other = install(made.database, mkdtempSync(join(folder, 'other-')));
  expect(await other.start()).toBe('the database and the data directory do not belong together');
});

it('an operator’s hold lasts until it is adopted, and keeps its reason', async () => {
  const made = await begun();
  await holdInstallation(made.app, 'an operator held it');
  await holdInstallation(made.app, 'another reason');
  expect(await made.start()).toBe('an operator held it');
  expect(await made.mark()).toBe(false);
  await made.adopt();
  expect(await made.start()).toBeUndefined();
});

it.each(['identity', 'sending-mark'])('names the file %s when it is damaged', async (name) => {
  const made = await begun();
  writeFileSync(join(folder, name), '{"epoch":7}');
  await expect(made.start()).rejects.toThrow(`The file ${join(folder, name)} is damaged`);
});

it('asks only for what a role without rights may know', async () => {
  const made = await begun();
  await made.app.control.run(sql`create role plain_reader`);
  closers.push(() => onServer('drop role plain_reader'));
  const client = await made.app.control.pool.connect();
  try {
    await client.query('set role plain_reader');
    const { rows } = await client.query('select system_identifier from pg_control_system()');
    expect(rows).toHaveLength(1);
    await client.query('reset role');
  } finally {
    client.release();
  }
});
