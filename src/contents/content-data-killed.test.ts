import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient } from '../demo/api-client.ts';
import { siteFolderPath } from '../files/sftp-server.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { commandOn, type FacteurProcess } from '../testing/child-process.ts';
import { until } from '../testing/until.ts';

const adminToken = 'content_data_killed_token';
const rows = 200_000;

let t: TestApp;
let program: FacteurProcess | undefined;
beforeAll(async () => {
  t = await testApp();
});
afterAll(async () => {
  await program?.end('SIGKILL');
  await t.close();
});

/** Starts the program; what loads a file of content data, whose every row has one content. */
async function start(): Promise<(content: string, count: number) => Promise<string>> {
  program = commandOn(t, ['serve'], {
    FACTEUR_ADMIN_TOKEN: adminToken,
    FACTEUR_PORT: '0',
    FACTEUR_SFTP_PORT: '0',
    FACTEUR_SMTP_PORT: '0',
  });
  const { url } = await program.started();
  const site = apiClient(`${url}/v1/demo`, adminToken);
  return async (content, count) => {
    const folder = siteFolderPath(t.dataDir, t.db.site.id);
    await mkdir(folder, { recursive: true });
    const lines = Array.from({ length: count }, (_, i) => `r${i}@example.org;${content}\r\n`);
    await writeFile(join(folder, 'offers.csv'), lines.join(''));
    return site.post<string>('/content-data', {
      key: 'offers',
      dataFilePath: '/offers.csv',
      dataFieldTerminator: ';',
    });
  };
}

const stored = () =>
  t.db.rows<{ content: string; n: number }>(sql`
    select content, count(*)::int as n from ${t.db.t.content_data_row} group by content`);
const loading = () =>
  t.db.rows(sql`select from pg_stat_activity where query like '%content_data_stage%' and pid <> pg_backend_pid()
    and state = 'active'`);

it('killed -9 while it loads a file, the previous rows stay, and the next load is complete', async () => {
  const load = await start();
  await load('old', 10);
  const lost = load('new', rows).then(
    () => 'answered',
    () => 'lost',
  );
  await until(async () => (await loading()).length > 0, 'the load has begun');
  await program!.end('SIGKILL');
  expect(await lost).toBe('lost');
  await until(async () => (await loading()).length === 0, 'the database has noticed');
  expect(await stored()).toEqual([{ content: 'old', n: 10 }]);
  const again = await start();
  await again('new', rows);
  expect(await stored()).toEqual([{ content: 'new', n: rows }]);
});
