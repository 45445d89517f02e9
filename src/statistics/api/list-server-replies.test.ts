import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertProvider } from '../../accounts/provider-store.ts';
import { bounceClasses } from '../../activity/bounce.ts';
import { sql } from '../../platform/db/sql.ts';
import { failureRow, insertFailures } from '../../sending/sent-store.ts';
import type { Person } from '../../subscribers/person.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeBounce } from '../../testing/make-activity.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';

import type { ServerReply } from '../replies.ts';

describe('listServerReplies', () => {
  let t: TestApp;
  let idSent: number;
  let people: number[];
  beforeAll(async () => {
    t = await testApp();
    people = await t.db.values<number>(sql`
      insert into ${t.db.t.subscriber} (fld1) select 'r' || n || '@example.org' from generate_series(1, 12) n
      returning fld0 as id`);
    const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending' });
    idSent = idsSent[0]!;
    const [a, b, c, d, e, f, g, h, i] = people as [number, ...number[]];
    await makeReceipts(t.db, idJob, idSent, { accepted: [a], refused: [b!, c!, d!], expired: [e!] });
    await makeOpenRange(t.db, idJob, idSent, {
      ...{ subscribers: [f!, g!, h!, i!], accepted: [f!, i!], at: new Date() },
    });
    const words = '550 5.7.1 Policy 203.0.113.55';
    const failures = [
      failureRow(b!, { status: '5.7.1', reply: words }),
      failureRow(c!, { status: '5.7.1', reply: words }),
      failureRow(d!, { status: '5.7.1', reply: '550 5.7.1 Other words' }),
      failureRow(e!, { status: '', reply: '451 later' }),
    ];
    await t.db.run(
      insertFailures(
        t.db.t,
        sql`select ${idSent}::int as id_sent, ${JSON.stringify(failures)}::jsonb as failures`,
      ),
    );
    // Returned later, one of them twice; an automatic reply is none.
    await makeBounce(t.db, idSent, a, bounceClasses.soft, 'smtp; 452 4.2.2 full');
    await makeBounce(t.db, idSent, a, bounceClasses.soft, 'smtp; 452 4.2.2 still full');
    await makeBounce(t.db, idSent, i!, bounceClasses.dns, 'no such domain');
    await makeBounce(t.db, idSent, f!, bounceClasses.autoReply, '550 away');
  });
  afterAll(() => t.close());

  const list = async () => {
    const reply = await t.call('GET', '/statistics/server-replies', { query: { idSent }, as: 'reader' });
    expect([reply.status, reply.error, reply.typeName]).toEqual([200, null, 'ServerReply[]']);
    return reply.data as ServerReply[];
  };

  it('200 counts the people of each code, with its most frequent words, and lists them', async () => {
    const replies = await list();
    expect(replies).toEqual([
      { reply: '451', text: '451 later', nbPeople: 3 },
      { reply: '550 5.7.1', text: '550 5.7.1 Policy 203.0.113.55', nbPeople: 3 },
      { reply: '452', text: 'smtp; 452 4.2.2 full', nbPeople: 1 },
      { reply: 'none', text: 'no such domain', nbPeople: 1 },
    ]);
    const [a, b, c, d, e, , g, h, i] = people;
    for (const [reply, ids] of [
      ['451', [e, g, h]],
      ['550 5.7.1', [b, c, d]],
      ['452', [a]],
      ['none', [i]],
      ['550', []],
    ] as const) {
      const query = { idSent, figure: 'nbWithReply', reply };
      const { data } = await t.call('GET', '/statistics/people', { query, as: 'reader' });
      expect([reply, (data as Person[]).map(({ idSubscriber }) => idSubscriber)]).toEqual([reply, ids]);
    }
  });

  it('200 with the replies to the recipients of one provider, and their people', async () => {
    const limits = { maxConnections: 0, messagesPerHour: 0 };
    const made = { name: 'Mail of Eve', mxSuffixes: [], domains: ['eve.example'], ...limits };
    const { id: eve } = await insertProvider(t.app.control, made);
    const [, b, , , , , g] = people;
    await t.db.run(sql`
      update ${t.db.t.subscriber} set fld1 = 'g@eve.example' where fld0 = ${g!}`);
    await t.db.run(sql`
      update ${t.db.t.receipt_range} set id_providers = array_fill(${eve}::int, array[cardinality(id_providers)])
      where id_sent = ${idSent}`);
    const read = async (idFai: number) => {
      const query = { idSent, idFai };
      const { data } = await t.call('GET', '/statistics/server-replies', { query, as: 'reader' });
      return (data as ServerReply[]).map(({ reply, nbPeople }) => [reply, nbPeople]);
    };
    // By the receipt of a finished range, and by the domain in an unfinished one.
    expect(await read(eve)).toEqual([
      ['550 5.7.1', 3],
      ['451', 2],
      ['452', 1],
    ]);
    expect(await read(0)).toEqual([
      ['451', 1],
      ['none', 1],
    ]);
    const query = { idSent, figure: 'nbWithReply', reply: '550 5.7.1', idFai: eve, limit: 1 };
    expect((await t.call('GET', '/statistics/people', { query })).data).toMatchObject([{ idSubscriber: b }]);
    expect((await t.call('GET', '/statistics/people', { query: { ...query, idFai: 0 } })).data).toEqual([]);
  });

  it('200 with nothing for a sending that everybody got, 404 for an unknown one', async () => {
    const { idsSent } = await makeJob(t.db);
    const query = { idSent: idsSent[0]! };
    expect(await t.call('GET', '/statistics/server-replies', { query })).toMatchObject({ data: [] });
    expect(await t.call('GET', '/statistics/server-replies', { query: { idSent: 99_999 } })).toMatchObject({
      status: 404,
    });
  });
});
