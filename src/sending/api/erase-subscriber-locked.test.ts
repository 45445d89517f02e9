import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());

test('503 when a writer of subscribers takes longer than a request waits, and nothing is erased', async () => {
  await tester.add('lovelace@post.example', 'Ada Lovelace');
  await tester.add('bob@post.example', 'Bob');
  const erase = () => t.call('POST', '/subscribers/1/erase', { as: 'admin' });
  await t.db.transaction(async (tx) => {
    await tx.run(sql`select from ${tx.t.subscriber} where fld0 = 2 for no key update`);
    const reply = await erase();
    expect(reply).toMatchObject({
      status: 503,
      error: 'The request conflicted with another one that writes the same records; try again',
    });
    expect(reply.headers).toMatchObject({ 'x-error-code': 'crossed', 'retry-after': '1' });
  });
  expect(await tester.people()).toHaveLength(2);
  expect((await erase()).status).toBe(200);
  expect(await tester.people()).toHaveLength(1);
});
