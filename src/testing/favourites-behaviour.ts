import { expect, it } from 'vitest';
import { setFavourite } from '../contents/favourite-store.ts';
import type { ListedObjects } from './listed-objects.ts';

/** Tests of operations that mark an object as a favourite of their caller. */
export function behavesAsSetFavourite(objects: ListedObjects): void {
  const { kind, name, isFavourite } = objects.of;

  it('200 for a reader, however often; others have their own', async () => {
    const [id, other] = [await objects.make(), await objects.make()];
    for (let i = 0; i < 2; i++) {
      expect(await objects.mark(id, true)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    }
    // The tokens of tests are all of one user.
    await setFavourite(objects.t.db, 77, kind!, other, true);
    expect(await objects.idsIn('MyFavorites')).toEqual([id]);
    if (isFavourite) expect((await objects.listed()).map(isFavourite)).toEqual([true, false]);
    for (let i = 0; i < 2; i++)
      expect(await objects.mark(id, false)).toMatchObject({ status: 200, data: true });
    expect(await objects.idsIn('MyFavorites')).toEqual([]);
  });

  it('404 for an unknown one', async () => {
    for (const body of [true, false])
      expect(await objects.mark(99_999, body)).toMatchObject({ status: 404, error: `${name} not found` });
  });

  it.each([['true'], [1], [null], [{}]])('400 for %j', async (body) => {
    expect(await objects.mark(await objects.make(), body)).toMatchObject({
      status: 400,
      error: expect.stringContaining('body: must be a boolean'),
    });
  });
}
