/**
 * Reads and creations of subscribers a second over HTTP, beside bare Fastify routes that run one statement through pg
 * on the same table. Both in processes of their own, the same client, in turns, in one run, over 200,000 subscribers.
 *
 *   npx tsx bench/api.ts [seconds per round]
 */
import type autocannon from 'autocannon';
import { type Course, compare, memoryOf, newPerson, send, withTwoServers } from './two-servers.ts';

const subscribers = 200_000;
const connections = 20;
const rounds = 3;
const seconds = Number(process.argv[2] ?? 4);

const anyId = () => 1 + Math.floor(Math.random() * subscribers);
const post = (path: string, size: number) => send('POST', path, Array.from({ length: size }, newPerson));
const read = (query: string): autocannon.Request => ({
  method: 'GET',
  path: `/v1/demo/subscribers?${query}`,
});

const courses: readonly Course[] = [
  {
    name: 'read one by id, all fields',
    size: 1,
    facteur: () => read(`filter.by=IdSubscriber&filter.values=${anyId()}`),
    bare: () => ({ method: 'GET', path: `/${anyId()}` }),
  },
  {
    name: 'read one by email, 3 fields',
    size: 1,
    facteur: () => read(`filter.by=Email&filter.values=p${anyId()}%40example.com&filter.idFields=1,7,101`),
    bare: () => ({ method: 'GET', path: `/${anyId()}` }),
  },
  {
    name: 'create one',
    size: 1,
    facteur: () => post('/v1/demo/subscribers', 1),
    bare: () => post('/', 1),
  },
  {
    name: 'create 500 a call',
    size: 500,
    facteur: () => post('/v1/demo/subscribers', 500),
    bare: () => post('/', 500),
  },
];

await withTwoServers(
  async (client) => {
    await client.query(`
      insert into site_demo.subscriber (fld1, fld2, fld3, fld5, fld6, fld40, fld101, fld102, fld103)
        select 'p' || n || '@example.com', now(), now(), 'fair', 'site', '75001', 'Name ' || n, n, now()
        from generate_series(1, ${subscribers}) n;
      analyze site_demo.subscriber;`);
  },
  async (facteur, bare) => {
    console.log(
      `${subscribers} subscribers, ${connections} connections, ${rounds} rounds of ${seconds} s each, medians`,
    );
    for (const course of courses) await compare(course, facteur, bare, { connections, rounds, seconds });
    console.log(`memory: facteur ${await memoryOf(facteur)} MB, bare ${await memoryOf(bare)} MB`);
  },
);
