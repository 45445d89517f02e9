import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import { insertRefusals, refusalRow } from '../../activity/bounce-store.ts';
import { foldActivity } from '../../activity/fold-store.ts';
import { hitKinds } from '../../activity/hit.ts';
import { sql } from '../../platform/db/sql.ts';
import { erasePerson } from '../../subscribers/erasure-store.ts';
import type { TestApp } from '../../testing/app.ts';
import { base, column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { makeBounce, makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { makeSession } from '../../testing/make-session.ts';
import { eraseTraces } from '../erase-traces.ts';
import { friendHash } from '../forward.ts';
import { requestForwards } from '../forward-store.ts';
import { failureRow, insertFailures } from '../sent-store.ts';
import { singleStates } from '../single-message.ts';

const ada = 'Lovelace@Post.example';
const signal = new AbortController().signal;

describe('eraseSubscriber', () => {
  let t: TestApp;
  let tester: ImportTester;
  let session: string;
  beforeAll(async () => {
    ({ t, tester } = await importApp({ audits: true }));
    session = await makeSession(t);
  });
  afterAll(() => t.close());

  /** Changes a field of the first subscriber as a user of the console, whose changes are kept. */
  const modify = async (idField: number, value: string) => {
    const body = [{ id: 1, fields: [{ idField, value }] }];
    expect((await t.call('PUT', '/subscribers', { body, session })).status).toBe(200);
  };
  beforeEach(async () => {
    const { subscriber, archived_subscriber, erased_address, erased_subscriber, hit_folded, bounce } = t.db.t;
    await t.db.run(sql`
      truncate ${subscriber}, ${archived_subscriber}, ${erased_address}, ${erased_subscriber}, ${hit_folded}, ${bounce},
        ${t.db.t.subscriber_change}
      restart identity`);
    await tester.add(ada, 'Ada Lovelace');
    await tester.add('bob@post.example', 'Bob');
    await t.app.control.pool.query(`delete from graphile_worker._private_jobs; truncate facteur.audit_entry`);
  });

  const erase = (id: number) => t.call('POST', `/subscribers/${id}/erase`, { as: 'admin' });
  const clear = (idSubscriber = 1, until = signal) =>
    eraseTraces.run(t.app, { idSite: t.db.site.id, idSubscriber }, until);
  /** Starts the erasure of the first person, and returns when it waits for writers. */
  const startErasing = async () => {
    const reply = erase(1);
    const waiting = sql`
      select count(*)::int as n from pg_locks
      where relation = ${`${t.db.site.schema}.subscriber`}::regclass and not granted`;
    await expect.poll(() => t.db.value(waiting), { timeout: 20_000 }).toBe(1);
    return { reply };
  };
  const people = () => tester.people(sql`fld0 as id, fld1 as email, fld7 as status, fld4 is null as "isNew"`);
  const count = (table: keyof TestApp['db']['t']) =>
    t.db.value<number>(sql`select count(*)::int as n from ${t.db.t[table]}`);
  const isAnywhere = async (text: string): Promise<string[]> => {
    const tables = await t.db.values<string>(sql`
      select table_name as name from information_schema.tables
      where table_schema = ${t.db.site.schema} and table_type = 'BASE TABLE' order by 1`);
    const found: string[] = [];
    for (const table of tables) {
      const { rows } = await t.app.control.pool.query(
        `select 1 from "${t.db.site.schema}"."${table}" r where r::text ilike $1 limit 1`,
        [`%${text}%`],
      );
      if (rows.length > 0) found.push(table);
    }
    return found;
  };

  it('200 leaves no address, no field and no name, and figures as they were', async () => {
    const { idJob, idsSent } = await makeJob(t.db);
    const [idSent] = idsSent as [number];
    await makeReceipts(t.db, idJob, idSent, { accepted: [1, 2], refused: [3] });
    await t.db.run(sql`
      insert into ${t.db.t.delivery_failure} (id_sent, id_subscriber, status, reply)
      values (${idSent}, 1, '5.1.1', ${`550 5.1.1 <${ada}> is unknown`}),
        (${idSent}, 2, '5.1.1', '550 5.1.1 unknown'), (${idSent}, 3, '5.1.1', '550 5.1.1 unknown')`);
    const at = t.clock.now();
    const address = '203.0.113.77';
    const theirs = { address, isMobile: true, userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Mobile' };
    await makeHits(t.db, [makeHit(idSent, 1, hitKinds.open, theirs)]);
    await foldActivity(t.db);
    await makeHits(t.db, [makeHit(idSent, 1, hitKinds.editorial, theirs), makeHit(idSent, 2, hitKinds.open)]);
    await makeBounce(t.db, idSent, 1, bounceClasses.soft, `<${ada}>: 452 mailbox full`);
    for (const id of [2, 3]) await makeBounce(t.db, idSent, id, bounceClasses.soft, '452 mailbox full');
    const friend = {
      email: 'eve@friends.example',
      hash: friendHash(t.app.secrets, t.db.site.id, 'eve@friends.example'),
    };
    await requestForwards(t.db, {
      ...{ idSent, idSubscriber: 1, friends: [friend], name: 'Ada Lovelace', language: 'en', at },
    });
    await t.db.run(sql`
      with message as (
        insert into ${t.db.t.single_message} (id_sent, id_subscriber, state, created_at, next_at, ended_at, guid)
        values (${idSent}, 1, ${singleStates.accepted}, ${at}, ${at}, ${at}, gen_random_uuid()) returning id)
      insert into ${t.db.t.single_send} (id_message, is_transactional, data)
      select id, true, ${JSON.stringify({ to: ada })}::jsonb from message`);
    const figures = async () =>
      (await t.call('GET', '/statistics/sending', { query: { idSent }, as: 'reader' })).data;
    const replies = async () =>
      (await t.call('GET', '/statistics/server-replies', { query: { idSent }, as: 'reader' })).data;
    const before: [unknown, object[]] = [await figures(), await replies()];
    expect(before).toEqual([
      expect.anything(),
      [
        { reply: '452', text: '452 mailbox full', nbPeople: 3 },
        { reply: '550 5.1.1', text: '550 5.1.1 unknown', nbPeople: 3 },
      ],
    ]);
    await modify(101, 'Countess');
    expect(await isAnywhere('lovelace')).toContain('subscriber_change');

    expect(await erase(1)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect(await people()).toMatchObject([{ email: 'bob@post.example' }]);
    await clear();
    expect(await isAnywhere('lovelace')).toEqual([]);
    expect(await isAnywhere(address)).toEqual([]);
    expect(await isAnywhere('192.0.2.1')).not.toEqual([]);
    expect([await figures(), await replies()]).toEqual(before);
    expect((await t.call('GET', '/subscribers/1/events', { as: 'reader' })).status).toBe(404);
    // What comes later is counted too, without showing the person.
    await makeHits(t.db, [makeHit(idSent, 1, hitKinds.open, theirs)]);
    await foldActivity(t.db);
    expect(await isAnywhere(address)).toEqual([]);
    await makeBounce(t.db, idSent, 1, bounceClasses.hard, `<${ada}>: 551 no such user`);
    await makeBounce(t.db, idSent, 2, bounceClasses.hard, '<bob@post.example>: 553 no such user');
    expect(await isAnywhere('lovelace')).toEqual([]);
    expect(await replies()).toEqual([
      ...before[1],
      { reply: '551', text: '', nbPeople: 1 },
      { reply: '553', text: '<bob@post.example>: 553 no such user', nbPeople: 1 },
    ]);
  });

  it('200 and later replies of relays keep their codes alone', async () => {
    await erase(1);
    const at = t.clock.now();
    const words = `554 5.7.1 <${ada}> is unknown`;
    const status = '5.7.1';
    const refusal = refusalRow(1, { class: bounceClasses.hard, status, diagnostic: words });
    const failure = failureRow(1, { status, reply: words });
    const rows = sql`
      select 1 as id_sent, ${JSON.stringify([refusal])}::jsonb as refusals,
        ${JSON.stringify([failure])}::jsonb as failures`;
    await t.db.run(insertRefusals(t.db.t, rows, at));
    await t.db.run(sql`truncate ${t.db.t.delivery_failure}`);
    await t.db.run(insertFailures(t.db.t, rows));
    const stored = sql`
      select status, diagnostic as words from ${t.db.t.bounce}
      union all select status, reply from ${t.db.t.delivery_failure}`;
    expect(await t.db.rows(stored)).toEqual([
      { status, words: '554' },
      { status, words: '554' },
    ]);
  });

  it('200 erases the archive too, by an id of it, whatever the case of the address', async () => {
    await t.call('DELETE', '/subscribers', { body: [1] });
    await tester.add(ada.toUpperCase(), 'Ada again');
    await t.call('DELETE', '/subscribers', { body: [3] });
    await tester.add(ada.toLowerCase(), 'Ada for the third time');
    expect((await erase(1)).status).toBe(200);
    expect(await people()).toMatchObject([{ id: 2 }]);
    expect(await count('archived_subscriber')).toBe(0);
    expect(await t.db.values(sql`select id from ${t.db.t.erased_subscriber} order by 1`)).toEqual([1, 3, 4]);
    const runs = sql`
      select (j.payload ->> 'idSubscriber')::int as id from graphile_worker._private_jobs j
      join graphile_worker._private_tasks k on k.id = j.task_id and k.identifier = 'eraseTraces' order by 1`;
    expect(await t.db.values(runs)).toEqual([1, 1, 3, 3, 4, 4]);
    expect((await erase(1)).status).toBe(404);
  });

  it('200 and the person is unsubscribed in every import and creation, until somebody subscribes them', async () => {
    expect((await erase(1)).status).toBe(200);
    const rows = 'email;name\nlovelace@post.EXAMPLE;Ada\nbob@post.example;Bob\ncleo@post.example;Cleo\n';
    for (const keepFld7 of [true, false, false]) {
      await tester.import(rows, { keepFld7 });
      expect(await people()).toMatchObject([
        { id: 2, status: 0 },
        { id: 3, status: 1, isNew: false },
        { id: 4, status: 0, isNew: true },
      ]);
    }
    await tester.import('email;state\nlovelace@post.example;0\n', {
      keepFld7: false,
      columnMapping: [...base.columnMapping.slice(0, 1), column(7, 'state')],
    });
    expect(await people()).toMatchObject([{}, { id: 3, status: 1 }, {}]);
    await t.call('DELETE', '/subscribers', { body: [3] });
    const of = (value: string) => ({ fields: [{ idField: 1, value }] });
    const { data } = await t.call('POST', '/subscribers', {
      body: [of('lovelace@post.example'), of('dan@post.example')],
    });
    expect(data).toMatchObject([
      { fields: expect.arrayContaining([{ idField: 7, value: 1 }]) },
      { fields: expect.arrayContaining([{ idField: 7, value: 0 }]) },
    ]);
    const [{ id }] = data as [{ id: number }];
    await t.call('POST', '/subscribers/subscribe', { body: [{ idSubscriber: id, firstOrigin: 'Shop' }] });
    await tester.import(rows, { keepFld7: false });
    const subscribed = await t.db.value(sql`select fld7 from ${t.db.t.subscriber} where fld0 = ${id}`);
    expect(subscribed).toBe(0);
  });

  it('200 and an import by another key that brings the address unsubscribes the row', async () => {
    await t.db.run(sql`update ${t.db.t.subscriber} set fld43 = fld0`);
    await erase(1);
    const columnMapping = [column(43, 'client'), column(1, 'email')];
    const statuses = () => tester.people(sql`fld0 as id, fld7 as status, fld4 is null as "isNew"`);
    for (const keepFld7 of [true, false]) {
      await t.db.run(sql`
        update ${t.db.t.subscriber} set fld1 = 'bob@post.example', fld7 = 0, fld4 = null where fld0 = 2`);
      const bring = (email: string) =>
        tester.import(`client;email\n2;${email}\n`, { columnMapping, keepFld7, keyDbFieldName: 'fld43' });
      await bring('robert@post.example');
      expect(await statuses()).toEqual([{ id: 2, status: 0, isNew: true }]);
      await bring('lovelace@POST.example');
      expect(await statuses()).toEqual([{ id: 2, status: 1, isNew: false }]);
      await bring('LOVELACE@post.example');
      expect(await statuses()).toEqual([{ id: 2, status: 1, isNew: false }]);
    }
  });

  it('200 leaves the address in no change of another person', async () => {
    for (const value of ['ada@other.example', 'bob2@post.example']) await modify(1, value);
    await tester.add('ADA@other.example', 'Ada');
    await erase(3);
    expect(await isAnywhere('ada@other.example')).toEqual(['subscriber_change']);
    await clear(3);
    expect(await isAnywhere('ada@other.example')).toEqual([]);
    const { data } = await t.call('GET', '/subscribers/1/changes', { as: 'reader' });
    const { changes } = data as { changes: { values: { idField: number }[] }[] };
    expect(changes.flatMap(({ values }) => values.map(({ idField }) => idField))).not.toContain(1);
  });

  it('200 and nothing is forwarded to the person', async () => {
    const { idsSent } = await makeJob(t.db);
    const [idSent] = idsSent as [number];
    await t.db.run(sql`update ${t.db.t.job} set frozen = '{}'`);
    await erase(1);
    const email = ada.toLowerCase();
    const friend = { email, hash: friendHash(t.app.secrets, t.db.site.id, email) };
    const request = {
      idSent,
      idSubscriber: 2,
      friends: [friend],
      name: 'Bob',
      language: 'en',
      at: t.clock.now(),
    } as const;
    expect(await requestForwards(t.db, request)).toBe('asked');
    const states = sql`
      select state from ${t.db.t.single_message} where id_sent = ${idSent} and id_subscriber = 2`;
    expect(await t.db.values(states)).toEqual([singleStates.cancelled]);
    expect(await isAnywhere(email)).toEqual([]);
  });

  it('200 leaves an entry in the audit log with the id, and one of a leaver in the growth', async () => {
    await erase(1);
    await t.audit.idle();
    const { rows } = await t.app.control.pool.query('select operation, status, ids from facteur.audit_entry');
    expect(rows).toEqual([{ operation: 'eraseSubscriber', status: 200, ids: { idSubscriber: 1 } }]);
    const left = sql`select sum(nb_left)::int as n from ${t.db.t.growth} where cause = 'deleted'`;
    expect(await t.db.value(left)).toBeGreaterThan(0);
  });

  it('404 for an unknown id, 403 for a sender', async () => {
    expect((await erase(99)).status).toBe(404);
    expect((await t.call('POST', '/subscribers/1/erase', { as: 'sender' })).status).toBe(403);
    expect(await people()).toHaveLength(2);
  });

  it('erases all or nothing: a failure leaves person and archive', async () => {
    const { erased_subscriber } = t.db.t;
    await t.db.run(sql`alter table ${erased_subscriber} add constraint broken check (id <> 1)`);
    await expect(t.db.transaction((tx) => erasePerson(tx, 1))).rejects.toThrow();
    await t.db.run(sql`alter table ${erased_subscriber} drop constraint broken`);
    expect(await people()).toHaveLength(2);
    expect(await count('erased_address')).toBe(0);
    expect(await erase(1)).toMatchObject({ status: 200 });
  });

  it('continues after a run that ended early', async () => {
    const { idsSent } = await makeJob(t.db);
    await makeHits(t.db, [makeHit(idsSent[0]!, 1, hitKinds.open, { address: '203.0.113.78' })]);
    await erase(1);
    await t.db.run(sql`delete from ${t.db.t.erased_subscriber}`);
    await expect(clear(1, AbortSignal.abort())).rejects.toThrow();
    expect(await isAnywhere('203.0.113.78')).not.toEqual([]);
    await clear();
    expect(await isAnywhere('203.0.113.78')).toEqual([]);
  });

  it('waits for a writer of the address, who then finds it erased', async () => {
    await t.call('DELETE', '/subscribers', { body: [1] });
    const erasing = await t.db.transaction(async (tx) => {
      await tx.run(sql`insert into ${tx.t.subscriber} (fld1) values ('lovelace@post.example')`);
      return startErasing();
    });
    expect((await erasing.reply).status).toBe(200);
    expect(await people()).toMatchObject([{ id: 2 }]);
  });

  it('waits for a transaction that has only locked a row and then writes it', async () => {
    const erasing = await t.db.transaction(async (tx) => {
      await tx.run(sql`select from ${tx.t.subscriber} where fld0 = 1 for no key update`);
      const started = await startErasing();
      expect(await people()).toHaveLength(2);
      await tx.run(sql`update ${tx.t.subscriber} set fld101 = 'Countess' where fld0 = 1`);
      return started;
    });
    expect((await erasing.reply).status).toBe(200);
    expect(await people()).toMatchObject([{ id: 2 }]);
  });
});
