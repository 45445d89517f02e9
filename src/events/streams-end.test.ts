import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { commandOn, type FacteurProcess } from '../testing/child-process.ts';
import { EventClient } from '../testing/event-client.ts';
import { makeJob } from '../testing/make-sent.ts';
import { makeSession } from '../testing/make-session.ts';
import { until } from '../testing/until.ts';

let t: TestApp;
let running: FacteurProcess | undefined;
beforeAll(async () => {
  t = await testApp();
  // The processes have a clock that runs.
  t.clock.set(new Date());
});
afterAll(async () => {
  await running?.end('SIGKILL');
  await t.close();
});

async function serve(): Promise<string> {
  running = commandOn(t, ['serve'], {
    FACTEUR_ROLES: 'api',
    FACTEUR_SECRET: 'a secret of thirty-two characters',
    FACTEUR_PORT: '0',
    FACTEUR_SFTP_PORT: '0',
  });
  return `${(await running.started()).url}/v1/demo/events`;
}
const byToken = () => ({ authorization: t.token('reader') });

it('streams continue after kill -9 and a restart, and end immediately when the service stops', async () => {
  const { idJob } = await makeJob(t.db, { state: 'Sending' });
  const first = await (await EventClient.connect(await serve(), byToken())).isCurrent();
  expect(first.dataOf('job')).toMatchObject([{ idJob, state: 'Sending' }]);
  await running!.end('SIGKILL');
  await until(() => first.ended === 'cut', 'the end of the stream');
  await t.db.run(sql`update ${t.db.t.job} set state = 'Finished' where id = ${idJob}`);
  const second = await (await EventClient.connect(await serve(), byToken(), first.lastId)).isCurrent();
  expect(second.dataOf('job')).toMatchObject([{ idJob, state: 'Finished' }]);
  // The service waits 90 s for answers that are under way; a stream is none of them.
  const began = performance.now();
  const { code } = await running!.end('SIGTERM');
  expect([code, second.ended]).toEqual([0, 'whole']);
  expect(performance.now() - began).toBeLessThan(60_000);
});

it('a stream ends with its session', async () => {
  const session = await makeSession(t);
  const client = await EventClient.connect(await serve(), { cookie: `facteur_session=${session}` });
  await client.isCurrent();
  await t.app.control.run(sql`delete from facteur.session`);
  await until(() => client.ended === 'whole', 'the end of the stream');
});
