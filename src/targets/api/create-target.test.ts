import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('createTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const post = (body: unknown) => t.call('POST', '/targets', { body });

  it('200 with defaults in place', async () => {
    expect(await post({ name: 'Actifs' })).toMatchObject({
      status: 200,
      success: true,
      error: null,
      typeName: 'Target',
      data: {
        id: 1,
        parameters: {
          name: 'Actifs',
          isTestTarget: false,
          pctSelect: 100,
          maxSelect: null,
          isRandomMode: false,
          excludedTargets: [],
        },
        creationDate: '2026-11-20T10:00:00.000Z',
        lastUpdateDate: '2026-11-20T10:00:00.000Z',
        targetType: 'Unknown',
        hasFieldFilter: false,
        hasGeolocFilter: false,
        hasSqlFilter: false,
        hasEmailPressureFilter: false,
        hasBehaviourFilter: false,
        hasReactivityFilter: false,
        hasSendingFilter: false,
        hasFileFilter: false,
        hasThematicFilter: false,
        isSafe: false,
        isArchived: false,
      },
    });
  });

  it('200 with everything given', async () => {
    const parameters = {
      name: 'é'.repeat(255),
      isTestTarget: true,
      pctSelect: 0,
      maxSelect: 500,
      isRandomMode: true,
      excludedTargets: [1],
    };
    expect((await post(parameters)).data).toMatchObject({ parameters });
  });

  it.each([
    [{}, 'name: is required'],
    [{ name: '' }, 'name: '],
    [{ name: '  ' }, 'name: must not be blank'],
    [{ name: 'a'.repeat(256) }, 'name: '],
    [{ name: 'a\nb' }, 'name: '],
    [{ name: 'a', pctSelect: 101 }, 'pctSelect: '],
    [{ name: 'a', pctSelect: 0 }, 'pctSelect: must be from 1 to 100; omit it'],
    [{ name: 'a', pctSelect: 0, maxSelect: 0 }, 'pctSelect: must be from 1 to 100'],
    [{ name: 'a', pctSelect: '50' }, 'pctSelect: must be an integer'],
    [{ name: 'a', maxSelect: -1 }, 'maxSelect: '],
    [{ name: 'a', excludedTargets: [0] }, 'excludedTargets[0]: '],
    [{ nmae: 'a', pctSelect: 5 }, 'name: is required (unknown member: nmae)'],
    [{ name: 'a', id: 7 }, 'id: unknown member'],
    [{ name: 'a', isSafe: true }, 'isSafe: unknown member'],
    [{ name: 'a', idUser: 2 }, 'idUser: unknown member'],
  ])('400 for %j', async (body, error) => {
    expect(await post(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for a target of another site in excludedTargets, as for an unknown one', async () => {
    const foreign = await foreignTarget(t);
    expect(await post({ name: 'a', excludedTargets: [foreign] })).toMatchObject({
      status: 404,
      error: 'excludedTargets: Target 5000 not found',
    });
  });

  it('409 when targets that name each other make a query of too many sets', async () => {
    let last = [1];
    const replies = [];
    for (let i = 0; i < 9; i++) {
      const pair = [
        await post({ name: 'a', excludedTargets: last }),
        await post({ name: 'b', excludedTargets: last }),
      ];
      replies.push(...pair);
      last = pair.flatMap((reply) => (reply.data ? [(reply.data as { id: number }).id] : []));
    }
    expect(replies.find((reply) => reply.status !== 200)).toMatchObject({
      status: 409,
      error: 'excludedTargets: a target would contain more than 200 excluded sets; exclude fewer targets',
    });
  });
});
