import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { makeSubscribers } from './testing/campaign-makers.ts';
import { makePerson, makeSession } from './testing/make-session.ts';
import { until } from './testing/until.ts';

/** What the audit log has of each kind of request. */
describe('the audit log', () => {
  let t: TestApp;
  let session: string;
  beforeAll(async () => {
    t = await testApp({ audits: true });
    session = await makeSession(t, await makePerson(t, { sites: [{ name: 'demo', role: 'admin' }] }));
    await makeSubscribers(t.db, [1]);
  });
  beforeEach(async () => {
    await t.audit.idle();
    await t.app.control.pool.query('truncate facteur.audit_entry');
  });
  afterAll(() => t.close());

  interface Written {
    readonly operation: string;
    readonly status: number;
    readonly id_site: number | null;
    readonly id_token: number | null;
    readonly ids: Record<string, number | string>;
  }
  async function written(): Promise<Written[]> {
    await t.audit.idle();
    const { rows } = await t.app.control.pool.query<Written>('select * from facteur.audit_entry order by id');
    return rows;
  }
  const shown = async () => (await written()).map(({ operation, status }) => [operation, status]);

  it('leaves out only operations that are named here', () => {
    const named = (reason: string) =>
      operations.filter(({ unaudited }) => unaudited === reason).map(({ id }) => id);
    expect(named('bulk').sort()).toEqual([
      'createSubscribers',
      'deleteSubscribers',
      'modifySubscribers',
      'sendCampaignToSubscriber',
      'subscribe',
      'unsubscribe',
    ]);
    expect(named('read').sort()).toEqual([
      'checkDraft',
      'countTargets',
      'countUnsavedTarget',
      'listUnsavedTargetPeople',
      'previewDraft',
      'previewImport',
      'tryImport',
    ]);
  });

  it('has refused changes of known callers, with the ids of the path', async () => {
    await t.call('DELETE', '/campaigns/41/segments/3', { as: 'reader' });
    await t.call('PUT', '/campaigns/41/segments/3', { body: { secret: 'hunter2' } });
    await t.call('DELETE', '/targets/999');
    await t.call('POST', '/campaigns/send-now?afterJob=12', { body: 'no campaign' });
    expect(await written()).toMatchObject([
      {
        operation: 'deleteSegment',
        status: 403,
        id_site: t.db.site.id,
        ids: { idCampaign: 41, segmentPosition: 3 },
      },
      { operation: 'updateSegment', status: 400, ids: { idCampaign: 41, segmentPosition: 3 } },
      { operation: 'deleteTarget', status: 404, ids: { idTarget: 999 } },
      { operation: 'sendCampaignNow', status: 400, ids: { afterJob: 12 } },
    ]);
  });

  it('has no change that was refused for a version, but the one that succeeded', async () => {
    const body = { contentKey: 'late', contentValue: 'x' };
    const change = async (ifMatch?: string) =>
      (await t.call('PUT', '/content-blocks', { body, ...(ifMatch && { ifMatch }) })).status;
    expect([await change(), await change('"0"'), await change('*')]).toEqual([200, 412, 200]);
    expect(await shown()).toEqual([
      ['updateContentBlock', 200],
      ['updateContentBlock', 200],
    ]);
  });

  it('has no text that a path or a query holds in place of an id', async () => {
    for (const text of ['ada@example.org', 'hunter2', `${'9'.repeat(190)}`, '1e3', '7 '])
      await t.call('DELETE', `/targets/${encodeURIComponent(text)}`, { query: { password: 'hunter2' } });
    await t.call('POST', '/thematics', { site: 'ada@example.org', body: {} });
    const entries = await written();
    expect(entries.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 404]);
    expect(entries.map(({ ids }) => ids)).toEqual([{}, {}, {}, {}, {}, {}]);
  });

  it('has no reads, no unknown callers, nothing of the caller’s own account, no bulk changes', async () => {
    await t.call('GET', '/thematics');
    await t.server.inject({
      method: 'HEAD',
      url: '/v1/demo/thematics',
      headers: { authorization: t.token('reader') },
    });
    await t.call('GET', '/admin/v1/users');
    await t.call('POST', '/thematics', { as: null, body: { name: 'x' } });
    await t.call('POST', '/admin/v1/users', { as: null, body: { name: 'x' } });
    await t.call('POST', '/session', {
      as: null,
      site: null,
      body: { email: 'a@b.example', password: 'wrong' },
    });
    await t.call('PUT', '/me/password', { session, site: null, body: { password: 'x' } });
    await t.call('PUT', '/subscribers', { body: [{ id: 1, fields: [] }] });
    await t.call('POST', '/subscribers/unsubscribe', { body: [] });
    await t.call('POST', '/targets/count', { body: [] });
    await t.call('DELETE', '/nothing');
    expect(await shown()).toEqual([]);
  });

  it('has the token of a program, and none of a session', async () => {
    await t.call('POST', '/thematics', { as: 'editor', body: { name: 'By a token' } });
    await t.call('POST', '/thematics', { session, body: { name: 'By a session' } });
    const [byToken, bySession] = await written();
    expect(byToken).toMatchObject({ status: 200, id_token: expect.any(Number) });
    expect(bySession).toMatchObject({ status: 200, id_token: null });
  });

  it('has a change whose client disconnects before the response', async () => {
    const address = new URL(await t.server.listen({ host: '127.0.0.1', port: 0 }));
    const other = await t.app.control.pool.connect();
    await other.query(`begin; lock table ${t.db.t.thematic.text}`);
    const body = JSON.stringify({ name: 'Unseen' });
    const sent = request({
      ...{ host: address.hostname, port: address.port, method: 'POST', path: '/v1/demo/thematics' },
      headers: { authorization: t.token('editor'), 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.end(body);
    const waits = async () => {
      const { rows } = await t.app.control.pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%thematic%'`,
      );
      return rows.length > 0;
    };
    await until(waits, 'the change waits for the lock');
    const connections = () =>
      new Promise<number>((resolve) => t.server.server.getConnections((_, n) => resolve(n)));
    sent.destroy();
    await until(async () => (await connections()) === 0, 'the client is gone');
    await other.query('commit');
    other.release();
    await until(async () => (await written()).length === 1, 'the entry is written');
    expect(await shown()).toEqual([['createThematic', 200]]);
  });
});
