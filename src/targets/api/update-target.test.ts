import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { untilWaiting } from '../../testing/until-waiting.ts';
import { targetsOperations } from '../operations.ts';
import { lockExclusions, lockTarget } from '../target-store.ts';

describe('updateTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  const put = (id: number, body: unknown) => t.call('PUT', `/targets/${id}`, { body });

  it('200 replaces all parameters, takes defaults for the rest and leaves filters', async () => {
    const id = await create({ pctSelect: 20, maxSelect: 5, isRandomMode: true, isTestTarget: true });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    t.clock.advance(60_000);
    expect(await put(id, { name: 'Autres' })).toMatchObject({
      status: 200,
      typeName: 'Target',
      data: {
        parameters: {
          name: 'Autres',
          isTestTarget: false,
          pctSelect: 100,
          maxSelect: null,
          isRandomMode: false,
          excludedTargets: [],
        },
        creationDate: '2026-11-20T10:00:00.000Z',
        lastUpdateDate: '2026-11-20T10:01:00.000Z',
        isSafe: true,
      },
    });
  });

  it('400 for a name that is missing', async () => {
    expect(await put(await create(), {})).toMatchObject({ status: 400, error: 'name: is required' });
  });

  it('404 for excluded targets that do not exist', async () => {
    const id = await create();
    expect(await put(id, { name: 'a', excludedTargets: [99_999] })).toMatchObject({
      status: 404,
      error: 'excludedTargets: Target 99999 not found',
    });
  });

  it('409 when a target would exclude itself, at once or over others', async () => {
    const a = await create();
    const b = await create({ excludedTargets: [a] });
    const c = await create({ excludedTargets: [b] });
    expect(await put(a, { name: 'a', excludedTargets: [a] })).toMatchObject({
      status: 409,
      error: `excludedTargets: target ${a} would exclude itself (${a} > ${a})`,
    });
    expect(await put(a, { name: 'a', excludedTargets: [c] })).toMatchObject({
      status: 409,
      error: `excludedTargets: target ${a} would exclude itself (${a} > ${c} > ${b} > ${a})`,
    });
    expect((await t.call('GET', `/targets/${a}`)).data).toMatchObject({ parameters: { name: 'Actifs' } });
  });

  it('409 for one of two targets that come to exclude each other at the same time', async () => {
    const [a, b] = [await create(), await create()];
    const replies = await Promise.all([
      put(a, { name: 'a', excludedTargets: [b] }),
      put(b, { name: 'b', excludedTargets: [a] }),
    ]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
  });

  it('200 with If-Match during a change of exclusions, without a deadlock', async () => {
    const id = await create();
    const { headers } = await t.call('GET', `/targets/${id}`);
    let reply: Promise<unknown> | undefined;
    await t.db.transaction(async (tx) => {
      await lockExclusions(tx);
      reply = t.call('PUT', `/targets/${id}`, {
        body: { name: 'a' },
        ifMatch: String(headers.etag),
      });
      await untilWaiting(t.app.control, 'select pg_advisory_xact_lock%');
      await lockTarget(tx, id);
    });
    expect(await reply).toMatchObject({ status: 200 });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('PUT', `/targets/${id}`, { body: { name: 'a' } })).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
