import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { lostTaskFinder } from './lost-tasks.ts';

let t: TestApp;
const said: string[] = [];
beforeAll(async () => {
  t = await testApp({ log: pino({ level: 'error' }, { write: (line) => said.push(line) }) });
});
afterAll(() => t.close());

it('adds the lost tasks of each site, and logs them; a failing site does not affect the others', async () => {
  const added: string[] = [];
  const finder = lostTaskFinder<{ idThing: number }>({
    name: 'findLostThings',
    async find(db) {
      if (db.site.name === 'demo') throw new Error('a broken table');
      return [{ idThing: 7 }];
    },
    async add(tx, { idThing }) {
      added.push(`${tx.site.name} ${idThing}`);
    },
  });
  await finder.run(t.app, {}, new AbortController().signal);
  expect(added).toEqual(['other 7']);
  expect(said.map((line) => JSON.parse(line))).toMatchObject([
    { site: 'demo', msg: 'findLostThings failed', err: { message: 'a broken table' } },
    {
      site: 'other',
      task: 'findLostThings',
      lost: { idThing: 7 },
      msg: 'a task was lost: it is added again',
    },
  ]);
});

it('logs nothing and adds nothing that another process has added in the meantime', async () => {
  said.length = 0;
  let looks = 0;
  const finder = lostTaskFinder({
    name: 'findLostThings',
    find: async () => (looks++ % 2 === 0 ? [{ idThing: 7 }] : []),
    add: () => Promise.reject(new Error('added twice')),
  });
  await finder.run(t.app, {}, new AbortController().signal);
  expect([looks, said]).toEqual([4, []]);
});
