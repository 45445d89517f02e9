import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { makeSending, sendingResult } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterEach(() => sending.end());
afterAll(() => test.close());

it('a commit that fails while its range is being closed does not keep the site from sending', async () => {
  let answer: () => void = () => undefined;
  const answerAfter = new Promise<void>((resolve) => (answer = resolve));
  const sink = await sending.relay({ answerAfter });
  let failures = 0;
  const write = (line: string) => {
    if (line.includes('commit failed')) failures += 1;
  };
  const log = pino({ level: 'warn' }, { write });
  const made = await makeSending(test.db, { recipients: 1 });
  sending.engine({ pollMs: 20 }, { ...test.app, log });
  await until(() => sink.messages.length === 1, 'the message is taken');
  // Anyone who closes a range reads its recipients first.
  const { schema } = test.db.site;
  const hold = await Hold.of(test.connection, `lock table ${schema}.subscriber in access exclusive mode`);
  answer();
  await hold.reached();
  await failCommits();
  await until(() => failures > 0, 'a commit that carries the range fails').finally(letCommitsPass);
  await hold.letGo();
  await until(async () => (await sendingResult(test.db, made)).state === 'Finished', 'the job ends');
  const next = await makeSending(test.db, { recipients: 3 });
  await until(async () => (await sendingResult(test.db, next)).state === 'Finished', 'the next job ends');
  expect((await sendingResult(test.db, next)).receipts).toEqual({ 1: 3 });
  expect(sink.messages).toHaveLength(4);
});

/** Makes commits fail, which number their ranges; ranges are still closed and resolved. */
const failCommits = () =>
  test.app.control.pool.query(`
    create function facteur.fail_commit() returns trigger language plpgsql as
      $$ begin raise 'a commit that a test lets fail'; end $$;
    create trigger fail_commit before update on ${test.db.site.schema}.recipient_range for each row
      when (new.last_commit <> old.last_commit) execute function facteur.fail_commit()`);
const letCommitsPass = () => test.app.control.pool.query('drop function facteur.fail_commit cascade');
