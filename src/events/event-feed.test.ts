import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { tooMany } from '../platform/http/refusal.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeJob } from '../testing/make-sent.ts';
import { until } from '../testing/until.ts';
import { readChanges, readMark } from './change-store.ts';
import { EventFeed } from './event-feed.ts';

describe('the feed of a site', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
  });
  afterAll(() => t.close());

  const always = { since: undefined, isStillAdmitted: async () => true };
  /** A stream's text so far. */
  const reading = (stream: ReturnType<EventFeed['listen']>) => {
    const read = { text: '' };
    stream.on('data', (chunk: Buffer) => {
      read.text += chunk;
    });
    return read;
  };

  it('reads once for all listeners, and not at all without one', async () => {
    let readings = 0;
    const counting = new Proxy(t.db, {
      get: (db, name) => {
        if (name === 'one') readings++;
        const value = Reflect.get(db, name, db) as unknown;
        return typeof value === 'function' ? value.bind(db) : value;
      },
    }) as SiteDb;
    const feed = new EventFeed(counting, t.app.log, { poll: 50 });
    const streams = Array.from({ length: 40 }, () => feed.listen(always));
    const reads = streams.map(reading);
    await until(() => reads.every((one) => one.text.includes('event: current')), 'all to begin');
    readings = 0;
    const began = performance.now();
    const { idJob } = await makeJob(t.db, { state: 'Sending' });
    await until(() => reads.every((one) => one.text.includes(`"idJob":${idJob}`)), 'all to see the change');
    expect(readings).toBeLessThanOrEqual((performance.now() - began) / 50 + 2);
    for (const stream of streams) stream.destroy();
    await until(() => feed.size === 0, 'all to leave');
    // The reading that was under way ends; a new listener starts the loop again.
    const again = reading(feed.listen(always));
    await until(() => again.text.includes(`"idJob":${idJob}`), 'the present state');
  });

  it('counts nothing while no job is sent or changes', async () => {
    await makeJob(t.db, { state: 'Paused', nbAddressToSend: 5 });
    await t.db.run(sql`update ${t.db.t.job} set state = 'Finished' where state = 'Sending'`);
    // Transactions of other databases of the server hold back what is known to be written; a job that may have been
    // written since the first reading is counted until the next complete one.
    await until(async () => {
      const { cursor } = await readMark(t.db);
      const changes = await readChanges(t.db, { since: undefined });
      return changes.every(({ version }) => version < cursor);
    }, 'older transactions to end');
    let [quiet, statements] = [0, 0];
    const counting = new Proxy(t.db, {
      get: (db, name) => {
        // A reading begins. One that counts nothing has a statement for each kind of record.
        if (name === 'one') [quiet, statements] = [statements === 3 ? quiet + 1 : 0, 0];
        if (name === 'rows') statements++;
        const value = Reflect.get(db, name, db) as unknown;
        return typeof value === 'function' ? value.bind(db) : value;
      },
    }) as SiteDb;
    // A complete reading, which has more statements, is made for each listener that begins, and at each heartbeat.
    const stream = new EventFeed(counting, t.app.log, { poll: 10, heartbeat: 600_000 }).listen(always);
    const read = reading(stream);
    await until(() => read.text.includes('event: current'), 'the present state');
    await until(() => quiet > 10, 'ten readings in a row that count nothing');
    const before = read.text.length;
    const { idJob } = await makeJob(t.db, { state: 'Sending', nbAddressToSend: 7 });
    await until(() => read.text.slice(before).includes(`"idJob":${idJob}`), 'the new job');
    expect(read.text.slice(before)).toContain('"nbAddressToSend":7');
    stream.destroy();
  });

  it('sends a record that was open for less than a reading, and one that changes after its end', async () => {
    const stream = new EventFeed(t.db, t.app.log, { poll: 10, heartbeat: 200 }).listen(always);
    const read = reading(stream);
    await until(() => read.text.includes('event: current'), 'the beginning');
    const { idJob } = await makeJob(t.db, { state: 'Finished' });
    await until(() => read.text.includes(`"idJob":${idJob}`), 'the short one');
    await t.db.run(sql`update ${t.db.t.job} set error_info = 'later' where id = ${idJob}`);
    await until(() => read.text.includes('"errorInfo":"later"'), 'its change');
    stream.destroy();
  });

  it('says that it is current when nothing changes', async () => {
    const feed = new EventFeed(t.db, t.app.log, { poll: 10, heartbeat: 50 });
    const stream = feed.listen(always);
    const read = reading(stream);
    await until(() => read.text.split('event: current').length > 3, 'two heartbeats');
    stream.destroy();
  });

  it('ends a stream whose caller is no longer admitted, and not when that cannot be found out', async () => {
    const feed = new EventFeed(t.db, t.app.log, { poll: 10, check: 20 });
    let checks = 0;
    const isStillAdmitted = async () => {
      checks++;
      if (checks < 3) throw Object.assign(new Error('The database is shutting down'), { code: '57P01' });
      return checks < 5;
    };
    expect(await text(feed.listen({ since: undefined, isStillAdmitted }))).toContain('event: current');
    expect(checks).toBe(5);
  });

  it('ends a stream whose check fails for any other reason', async () => {
    const feed = new EventFeed(t.db, t.app.log, { poll: 10, check: 20 });
    const isStillAdmitted = async () => {
      throw tooMany('Too many wrong tokens from this address', 60);
    };
    expect(await text(feed.listen({ since: undefined, isStillAdmitted }))).toContain('event: current');
  });

  it('closes the stream of a client that is no longer admitted and does not read', async () => {
    const feed = new EventFeed(t.db, t.app.log, { poll: 10, check: 20 });
    const stream = feed.listen({ since: undefined, isStillAdmitted: async () => false });
    await until(() => feed.size === 0, 'its place to be free');
    expect(stream.destroyed).toBe(true);
  });

  it('continues after readings that fail', async () => {
    let fails = true;
    const failing = new Proxy(t.db, {
      get: (db, name) => {
        if (name === 'one' && fails) throw new Error('The database is unavailable');
        const value = Reflect.get(db, name, db) as unknown;
        return typeof value === 'function' ? value.bind(db) : value;
      },
    }) as SiteDb;
    const feed = new EventFeed(failing, t.app.log, { poll: 10, heartbeat: 20 });
    const stream = feed.listen(always);
    const read = reading(stream);
    await until(() => read.text.includes(': waiting for the database'), 'a sign of life');
    await t.db.run(sql`update ${t.db.t.job} set state = 'Paused'`);
    fails = false;
    await until(() => read.text.includes('"state":"Paused"'), 'the present state');
    stream.destroy();
  });
});
