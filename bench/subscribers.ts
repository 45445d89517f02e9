/**
 * Creations, updates and look-ups of subscribers a second over HTTP on a site of a million, beside bare Fastify routes
 * that run one statement through pg on the same table and indexes. Both in processes of their own, the same client, in
 * turns, in one run. The service must stay below 300 MB.
 *
 *   npx tsx bench/subscribers.ts [seconds per round] [subscribers]
 */
import { createHash } from 'node:crypto';
import { wantBelow } from './goal.ts';
import { msOf } from './measure.ts';
import { type Course, compare, memoryOf, newPerson, send, withTwoServers } from './two-servers.ts';

const seconds = Number(process.argv[2] ?? 2);
const subscribers = Number(process.argv[3] ?? 1_000_000);
const connections = 20;
const rounds = 3;
const maxMemoryMb = 300;

const anyId = () => 1 + Math.floor(Math.random() * subscribers);
const emailOf = (id: number) => `p${id}@example.com`;
const hashes = { MD5: 'md5', SHA1: 'sha1', SHA2_256: 'sha256', SHA2_512: 'sha512' } as const;
const changed = (id: number) => ({
  id,
  fields: [
    { idField: 101, value: `Name ${Math.random()}` },
    { idField: 102, value: Math.floor(Math.random() * 1_000_000) },
  ],
});
/** Ids that are all different: some of a stretch of the table, as a caller's page of changes has them. */
const stretch = (size: number) => {
  const first = 1 + Math.floor(Math.random() * (subscribers - 4 * size));
  return Array.from({ length: size }, (_, i) => first + 4 * i);
};
const operation = '/v1/demo/subscribers';

const creations = (size: number): Course => ({
  name: `create ${size} a call`,
  size,
  facteur: () => send('POST', operation, Array.from({ length: size }, newPerson)),
  bare: () => send('POST', '/', Array.from({ length: size }, newPerson)),
});
const updates = (size: number): Course => ({
  name: `update ${size} a call`,
  size,
  facteur: () => send('PUT', operation, stretch(size).map(changed)),
  bare: () => send('PUT', '/', stretch(size).map(changed)),
});
const lookUp = (name: string, by: string, encoding: string, textOf: (id: number) => string): Course => ({
  name: `look up one by ${name}, all fields`,
  size: 1,
  facteur: () => ({
    method: 'GET',
    path: `${operation}?filter.by=${by}&filter.emailEncoding=${encoding}&filter.values=${encodeURIComponent(textOf(anyId()))}`,
  }),
  bare: () => ({ method: 'GET', path: `/by/${name}/${encodeURIComponent(textOf(anyId()))}` }),
});

const courses: readonly Course[] = [
  lookUp('id', 'IdSubscriber', 'None', String),
  lookUp('client', 'IdClient', 'None', String),
  lookUp('email', 'Email', 'None', emailOf),
  {
    name: 'read one by email, 3 fields',
    size: 1,
    facteur: () => ({
      method: 'GET',
      path: `${operation}?filter.by=Email&filter.values=p${anyId()}%40example.com&filter.idFields=1,7,101`,
    }),
    bare: () => ({ method: 'GET', path: `/${anyId()}` }),
  },
  updates(1),
  updates(500),
  creations(1),
  creations(500),
];
const byHash = Object.entries(hashes).map(([encoding, hash]) =>
  lookUp(encoding, 'Email', encoding, (id) => createHash(hash).update(emailOf(id)).digest('hex')),
);

await withTwoServers(
  async (client) => {
    const ms = await msOf(async () => {
      await client.query(`
        insert into subscriber (fld1, fld2, fld3, fld5, fld6, fld40, fld43, fld101, fld102, fld103)
        select 'p' || n || '@example.com', now(), now(), 'fair', 'site', '75001', n, 'Name ' || n, n, now()
        from generate_series(1, ${subscribers}) n`);
      await client.query('vacuum analyze subscriber');
      await client.query('checkpoint');
    });
    console.log(`${subscribers} subscribers, filled in ${Math.round(ms / 1000)} s`);
  },
  async (facteur, bare, client) => {
    console.log(`${connections} connections, ${rounds} rounds of ${seconds} s each, medians`);
    let most = 0;
    const measure = async (course: Course) => {
      await compare(course, facteur, bare, { connections, rounds, seconds });
      most = Math.max(most, await memoryOf(facteur));
    };
    for (const course of courses) await measure(course);
    // A site has the index of a hash from its first look-up by it on; until then nothing pays for it.
    for (const hash of Object.values(hashes))
      await client.query(
        `create index subscriber_email_${hash} on subscriber using hash (facteur.email_${hash}(fld1))`,
      );
    for (const course of byHash) await measure(course);
    console.log(`memory: facteur ${most} MB at the most, bare ${await memoryOf(bare)} MB`);
    wantBelow('memory of the service, MB', most, maxMemoryMb);
  },
);
