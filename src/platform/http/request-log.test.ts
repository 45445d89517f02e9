import { expect, it } from 'vitest';
import { testApp } from '../../testing/app.ts';
import { openLog } from '../log.ts';

it('the line of a request carries its id once, under the name that all lines have, and no address', async () => {
  const said: string[] = [];
  const t = await testApp({ log: openLog('debug', { write: (line: string) => void said.push(line) }) });
  const reply = await t.call('GET', '/targets/7');
  expect(reply.status).toBe(404);
  await t.close();
  const lines = said.filter((line) => JSON.parse(line).msg === 'request');
  expect(lines).toHaveLength(1);
  const requestId = reply.headers['x-request-id'];
  expect(JSON.parse(lines[0]!)).toMatchObject({
    requestId,
    route: '/v1/:idsite/targets/:idTarget',
    status: 404,
  });
  expect(lines[0]!.split(String(requestId))).toHaveLength(2);
});
