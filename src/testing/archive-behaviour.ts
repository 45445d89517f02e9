import { expect, it } from 'vitest';
import type { ListedObjects } from './listed-objects.ts';

/** Tests of operations that archive objects or restore them from the archive; lists of all omit archived ones. */
export function behavesAsArchiving(objects: ListedObjects, act: 'archive' | 'unarchive'): void {
  const set = (id: number, how: string) =>
    objects.t.call('POST', `${objects.of.path}/${id}/${how}`, { as: 'editor' });

  it('200 and true, even when nothing changes', async () => {
    const [id, other] = [await objects.make(), await objects.make()];
    await set(id, 'archive');
    for (let i = 0; i < 2; i++)
      expect(await set(id, act)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect(await objects.idsIn('Archives')).toEqual(act === 'archive' ? [id] : []);
    expect(await objects.idsIn('All')).toEqual(act === 'archive' ? [other] : [id, other]);
  });

  it('404 for an unknown one', async () => {
    const error = `${objects.of.name} not found`;
    expect(await set(99_999, act)).toMatchObject({ status: 404, success: false, data: null, error });
  });
}
