import { expect, it } from 'vitest';
import type { TestApp } from './app.ts';
import { foreignTarget } from './foreign-target.ts';

/** What `archiveTarget` and `unarchiveTarget` do; of archived targets the list of all shows none. */
export function behavesAsArchiving(t: () => TestApp, act: 'archive' | 'unarchive'): void {
  const isArchived = act === 'archive';

  it('200 and true, also when nothing changes', async () => {
    const { data } = await t().call('POST', '/targets', { body: { name: 'Actifs' } });
    const { id } = data as { id: number };
    await t().call('POST', `/targets/${id}/archive`);
    for (let i = 0; i < 2; i++) {
      expect(await t().call('POST', `/targets/${id}/${act}`)).toMatchObject({
        status: 200,
        data: true,
        typeName: 'Boolean',
      });
    }
    expect((await t().call('GET', `/targets/${id}`)).data).toMatchObject({ isArchived });
    const totalCount = isArchived ? 0 : 1;
    expect((await t().call('GET', '/targets/all')).data).toMatchObject({ totalCount });
    // What uses it continues working.
    expect(await t().call('GET', `/targets/${id}/count`)).toMatchObject({ status: 200, data: 0 });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t())]) {
      expect(await t().call('POST', `/targets/${id}/${act}`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
}
