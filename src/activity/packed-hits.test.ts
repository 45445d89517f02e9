import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { makeHit, packHits } from '../testing/make-activity.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { type Hit, hitKinds } from './hit.ts';
import { hitClasses } from './hit-class.ts';
import { addHits } from './hit-store.ts';
import { mergePacks } from './packed-hits.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

const hit = (change: Partial<Hit> = {}): Hit => makeHit(1, 1, hitKinds.open, change);

/** Reads a hit back through the view, in a transaction that is rolled back. */
async function readBack(change: Partial<Hit>): Promise<Hit> {
  const { db } = site;
  let rows: Hit[] = [];
  const undo = new Error('undo');
  await db
    .transaction(async (tx) => {
      await addHits(tx, [packHits([hit(change)])]);
      rows = await tx.rows<Hit>(sql`
        select at, kind, class, rules_version as "rulesVersion", is_mobile as "isMobile", id_sent as "idSent",
          id_subscriber as "idSubscriber", id_link as "idLink", is_viral as "isViral", user_agent as "userAgent",
          host(address) as address
        from ${tx.t.hit_new}`);
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

describe('a packed hit', () => {
  it.each<[string, Partial<Hit>]>([
    ['the largest of everything', { idSent: 2 ** 31 - 1, idSubscriber: 2 ** 31 - 1, idLink: 2 ** 53 - 1 }],
    ['every flag', { isMobile: true, isViral: true, kind: hitKinds.mirror, class: hitClasses.scanner }],
    ['a time before 1970, to the millisecond', { at: new Date('1969-12-31T23:59:59.999Z') }],
    ['the time of a clock far ahead', { at: new Date('2286-11-20T17:46:39.123Z') }],
    ['IPv6', { address: '2001:db8::1' }],
    ['no address and no link', { address: null, idLink: null }],
    ['an empty agent', { userAgent: '' }],
    ['an agent that looks like a hit', { userAgent: '1 2 3 4 5 6 7 8 9 10' }],
    ['an agent of all that a header may hold', { userAgent: '\t "\\/{}[]\u007f\u0085\u00ff\\u0000 null' }],
    ['an agent longer than a page', { userAgent: 'ü😀'.repeat(5_000) }],
  ])('is read as it was given: %s', async (_of, change) => {
    expect(await readBack(change)).toEqual(hit(change));
  });

  it('has half a surrogate pair replaced, which no text of the database may hold', async () => {
    expect(await readBack({ userAgent: 'a\ud83d' })).toMatchObject({ userAgent: 'a\ufffd' });
  });

  it.each<[string, Partial<Hit>]>([
    ['a sent that is no int', { idSent: 2 ** 31 }],
    ['a subscriber that is no int', { idSubscriber: 1.5 }],
    ['a link beyond what a number holds', { idLink: 2 ** 53 }],
    ['no time', { at: new Date(Number.NaN) }],
    ['an address that is none', { address: '300.1.1.1' }],
    ['an address with a zone', { address: 'fe80::1%eth0' }],
    ['an agent with a NUL', { userAgent: 'a\0b' }],
    ['an agent with a separator of agents', { userAgent: 'a\x1db' }],
    ['an agent with a separator of hits', { userAgent: 'a\x1eb' }],
    ['an agent with a separator before hits', { userAgent: 'a\x1cb' }],
  ])('is refused before it could stop the reading of all others: %s', (_of, change) => {
    expect(() => packHits([hit(), hit(change)])).toThrow(TypeError);
  });
});

it('names an agent once for all of its hits', () => {
  const [mail, other] = [{ userAgent: 'Mail' }, { userAgent: 'Other' }];
  const packed = packHits([hit(mail), hit(other), hit(mail)]);
  expect(packed.size).toBe(3);
  expect(packed.hits.match(/Mail|Other|\x1e/g)).toEqual(['Mail', '\x1e', 'Other']);
});

it('merges packs in their order, until each but the last is large enough', () => {
  const packs = [3, 1, 2, 4, 1].map((size, i) => ({ size, hits: String(i) }));
  expect(mergePacks(packs, 4)).toEqual([
    { size: 4, hits: '0\x1d1' },
    { size: 6, hits: '2\x1d3' },
    { size: 1, hits: '4' },
  ]);
  expect(mergePacks([], 4)).toEqual([]);
});
