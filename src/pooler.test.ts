import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestApp, testApp } from './testing/app.ts';
import { FacteurProcess } from './testing/child-process.ts';
import { describeWith } from './testing/daemon.ts';
import { serverConnection } from './testing/database.ts';
import { PgBouncer } from './testing/pgbouncer.ts';

describeWith('pgbouncer', 'behind PgBouncer', () => {
  let t: TestApp;
  let pooler: PgBouncer | undefined;
  beforeEach(async () => {
    t = await testApp();
  });
  afterEach(async () => {
    await pooler?.close();
    await t.close();
  });

  /** A command of the program over the pooler. */
  async function run(poolMode: string, args: readonly string[]) {
    pooler = await PgBouncer.start(serverConnection(), poolMode);
    const DATABASE_URL = pooler.urlOf(t.connection.database!);
    const environment = { DATABASE_URL, FACTEUR_DATA_DIR: t.dataDir, FACTEUR_SECRET: 's'.repeat(32) };
    return new FacteurProcess(args, environment).ended;
  }

  it('works in session mode, for a user of any name', async () => {
    const ended = await run('session', ['site', 'list']);
    expect(ended).toMatchObject({ stderr: '', code: 0 });
    expect(ended.stdout).toContain('"name":"demo"');
  });

  it('refuses transaction mode at the start, with the reason', async () => {
    const ended = await run('transaction', ['site', 'list']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('pool_mode to session');
  });
});
