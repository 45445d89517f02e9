import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertProvider } from '../../accounts/provider-store.ts';
import { createRoute } from '../../accounts/route-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { EventCounts } from '../../platform/event-counts.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { noteRelayStates } from '../sending-health.ts';

describe('getSendingHealth', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const get = (as: 'admin' | 'reader' = 'admin') => t.call('GET', '/sending-health', { as });
  const health = async () => (await get()).data;
  const addRelay = (host: string, idSite = t.db.site.id) =>
    createRoute(t.app.control, t.app.secrets, idSite, {
      ...{ host, port: 587, tls: 'starttls', username: null, password: null },
    });

  it('200 for a site whose mail stays in the built-in mailbox', async () => {
    expect(await get('reader')).toMatchObject({
      ...{ status: 200, typeName: 'SendingHealth' },
      data: { isMailKept: true, relays: [], deferringProviders: [] },
    });
  });

  it('200 with the last state of each relay of the site, whichever process saw it', async () => {
    for (const name of ['one', 'two', 'three', 'one']) await addRelay(`${name}.example`);
    await addRelay('foreign.example', t.otherDb.site.id);
    const states = async () =>
      ((await health()) as { relays: { relay: string; state: string; at: string | null }[] }).relays.map(
        ({ relay, state, at }) => [relay, state, at === null],
      );
    expect(await states()).toEqual([
      ['one.example:587', 'unknown', true],
      ['two.example:587', 'unknown', true],
      ['three.example:587', 'unknown', true],
    ]);
    const up = (name: string) => ({ relay: `${name}.example:587`, isUp: true });
    const down = (name: string) => ({ relay: `${name}.example:587`, isUp: false });
    await noteRelayStates(t.app.control, 'first', [up('one'), down('two'), down('foreign')]);
    await noteRelayStates(t.app.control, 'second', [down('one'), down('two')]);
    const known = [
      ['one.example:587', 'up', false],
      ['two.example:587', 'down', false],
      ['three.example:587', 'unknown', true],
    ];
    expect(await states()).toEqual(known);
    expect(await health()).toMatchObject({ isMailKept: false });
    for (const as of ['reader', 'editor', 'sender'] as const)
      expect((await t.call('GET', '/sending-health', { as })).data).toEqual({
        isMailKept: false,
        relays: ['up', 'down', 'unknown'].map((state) => ({ relay: null, state, at: null })),
        deferringProviders: [],
      });
    // They stay after the sending, until a later one finds something else.
    const ago = (hours: number) =>
      t.app.control.run(sql`update facteur.relay_state set at = at - ${hours} * interval '1 hour'`);
    await ago(5);
    await noteRelayStates(t.app.control, 'other', [up('other')]);
    expect(await states()).toEqual(known);
    await noteRelayStates(t.app.control, 'third', [up('two')]);
    expect((await states())[1]).toEqual(['two.example:587', 'up', false]);
    await ago(20);
    expect((await states()).map(([, state]) => state)).toEqual(['unknown', 'up', 'unknown']);
    await ago(5);
    expect((await states()).map(([, state]) => state)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('200 with the providers that defer the messages of this site', async () => {
    const limits = { maxConnections: 0, messagesPerHour: 0 };
    const provider = { name: 'Slow', mxSuffixes: [], domains: ['slow.example'], ...limits };
    const { id } = await insertProvider(t.app.control, provider);
    const counts = new EventCounts();
    const mail = (idSite: number, event: string, n: number) =>
      counts.count({ idSite, event: `mail.${event}`, idProvider: id }, n);
    mail(t.otherDb.site.id, 'deferred', 900);
    mail(t.db.site.id, 'accepted', 88);
    await counts.flush(t.app.control);
    expect(await health()).toMatchObject({ deferringProviders: [] });
    mail(t.db.site.id, 'deferred', 12);
    await counts.flush(t.app.control);
    expect(await health()).toMatchObject({
      deferringProviders: [{ idFai: id, isp: 'Slow', nbAttempts: 100, nbDeferred: 12 }],
    });
    await t.app.control.run(sql`delete from facteur.provider where id = ${id}`);
    expect(await health()).toMatchObject({ deferringProviders: [{ idFai: id, isp: '' }] });
  });
});
