import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldActivity } from './activity/fold-store.ts';
import { hitKinds } from './activity/hit.ts';
import { hitClasses, hitRulesVersion } from './activity/hit-class.ts';
import { rebuildSums } from './activity/reclassify-store.ts';
import type { SiteDb } from './platform/db/site-db.ts';
import { type Sql, sql } from './platform/db/sql.ts';
import { dumpSums } from './testing/activity-sums.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { commandOn, type Ended } from './testing/child-process.ts';
import { makeHit, makeHits } from './testing/make-activity.ts';
import { makeJob, makeReceipts } from './testing/make-sent.ts';
import { until } from './testing/until.ts';

/** A start takes about 3 s alone, and the machine of the tests may be busy. */
const patience = { timeout: 180_000 };

describe('facteur activity', patience, () => {
  let t: TestApp;
  let idsSent: readonly number[];
  beforeAll(async () => {
    t = await testApp({ operations: [] });
    let idJob: number;
    ({ idJob, idsSent } = await makeJob(t.db, { sents: 3 }));
    for (const idSent of idsSent) {
      await makeReceipts(t.db, idJob, idSent, {
        accepted: [1, 2, 3],
        refused: [4],
        at: new Date('2026-11-19T10:00Z'),
      });
    }
    await makeHits(
      t.db,
      // The rules of now know this agent for mail privacy protection's; it was taken for a human's.
      idsSent.flatMap((idSent) => [1, 2, 3].map((id) => makeHit(idSent, id, hitKinds.open, wronglyJudged))),
    );
    await makeHits(
      t.db,
      idsSent.map((idSent) => makeHit(idSent, 2, hitKinds.editorial, { userAgent: desktop })),
    );
    await foldActivity(t.db);
  });
  afterAll(() => t.close());

  const desktop =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0';
  const wronglyJudged = {
    userAgent: 'Mozilla/5.0',
    class: hitClasses.human,
    rulesVersion: hitRulesVersion,
  } as const;

  const run = (...args: string[]): Promise<Ended> => commandOn(t, ['activity', ...args]).ended;
  const lines = ({ stdout }: Ended) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  /** Runs a command until it waits for something that `held` has locked, kills it there, and lets its backend end. */
  async function killedAt(command: string, held: (tx: SiteDb) => Sql): Promise<void> {
    let waiting: number | undefined;
    await t.db.transaction(async (tx) => {
      await tx.run(held(tx));
      const child = commandOn(t, ['activity', command]);
      await until(
        async () => {
          const found = await t.db.first<{ pid: number }>(sql`
          select pid from pg_stat_activity
          where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`);
          waiting = found?.pid;
          return waiting !== undefined;
        },
        `${command} waits`,
        60_000,
      );
      child.child.kill('SIGKILL');
      expect(await child.ended).toMatchObject({ code: null, stdout: '' });
    });
    const isGone = async () =>
      (await t.db.rows(sql`select from pg_stat_activity where pid = ${waiting!}`)).length === 0;
    await until(isGone, 'the backend of the dead has ended');
  }

  const doubtful = async () => {
    await t.db.run(sql`update ${t.db.t.sent_counter} set openings = openings + 5`);
    await t.db.run(sql`delete from ${t.db.t.received_by_day}`);
    return dumpSums(t.db);
  };

  it('rebuild makes the sums again on all sites, says a line for each, and ends with 0', async () => {
    const right = await dumpSums(t.db);
    expect(await doubtful()).not.toEqual(right);
    const ended = await run('rebuild');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(lines(ended)).toEqual([{ site: 'demo' }, { site: 'other' }]);
    expect(await dumpSums(t.db)).toEqual(right);
  });

  it('rebuild that is killed has done nothing, and the next one does all', async () => {
    const right = await dumpSums(t.db);
    const wrong = await doubtful();
    const { receipt_range, received_by_day, sent_counter, act_by_sent } = t.db.t;
    for (const table of [receipt_range, received_by_day, act_by_sent, sent_counter]) {
      await killedAt('rebuild', () => sql`lock table ${table} in share mode`);
      expect(await dumpSums(t.db)).toEqual(wrong);
    }
    expect((await run('rebuild')).code).toBe(0);
    expect(await dumpSums(t.db)).toEqual(right);
  });

  it('reclassify, killed between two sendings, continues with the sums of a fresh rebuild', async () => {
    const last = idsSent.at(-1)!;
    const left = () =>
      t.db.one<{ n: number }>(sql`select count(*) as n from ${t.db.t.hit} where class = ${hitClasses.human}
        and user_agent = ${wronglyJudged.userAgent}`);
    expect(await left()).toEqual({ n: 9 });
    await killedAt(
      'reclassify',
      (tx) => sql`select from ${tx.t.hit_folded} where id_sent = ${last} for update`,
    );
    expect(await left()).toEqual({ n: 3 });
    const halfway = await dumpSums(t.db);
    await rebuildSums(t.db);
    expect(await dumpSums(t.db)).toEqual(halfway);

    const ended = await run('reclassify');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(lines(ended)).toEqual([
      { site: 'demo', reclassified: 3 },
      { site: 'other', reclassified: 0 },
    ]);
    const sums = await dumpSums(t.db);
    expect(sums).not.toEqual(halfway);
    await rebuildSums(t.db);
    expect(await dumpSums(t.db)).toEqual(sums);
    expect(lines(await run('reclassify'))[0]).toEqual({ site: 'demo', reclassified: 0 });
  });

  it.each([
    [['rebuild', 'demo'], "'demo' is one word too many"],
    [['reclassify', '--fast'], "Unknown option '--fast'"],
    [['fold'], "Unknown command 'activity fold'"],
    [[], "Unknown command 'activity'"],
  ])('%j is refused, by name, before anything is opened', async (args, reason) => {
    const before = await dumpSums(t.db);
    const ended = await run(...args);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toBe(`facteur: ${reason}\nSee npx facteur help\n`);
    expect(await dumpSums(t.db)).toEqual(before);
  });
});
