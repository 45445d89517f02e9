import { expect, it } from 'vitest';
import type { ListedObjects } from './listed-objects.ts';

/** Tests of operations that get the directories of an object. */
export function behavesAsGetDirectories(objects: ListedObjects): void {
  it('200 answers them by name', async () => {
    const id = await objects.make();
    const ids: number[] = [];
    for (const name of ['zoo', 'Été', 'Avent']) ids.push(await objects.directory(name));
    await objects.setDirectories(id, ids);
    const reply = await objects.getDirectories(id);
    expect(reply).toMatchObject({ status: 200, typeName: 'Directory[]' });
    const { dirType } = objects.of;
    const member = (name: string, index: number) => ({
      id: ids[index],
      name,
      isSystem: false,
      idParent: null,
      dirType,
    });
    expect(reply.data).toEqual([member('Avent', 2), member('Été', 1), member('zoo', 0)]);
    expect((await objects.getDirectories(await objects.make())).data).toEqual([]);
  });

  it('404 for an unknown one', async () => {
    expect(await objects.getDirectories(99_999)).toMatchObject({
      status: 404,
      error: `${objects.of.name} not found`,
    });
  });
}

/**
 * Tests of operations that set the directories of an object.
 * @param otherType directories of this type sort something else
 */
export function behavesAsSetDirectories(objects: ListedObjects, otherType: string): void {
  it('200 two sets at once: one of them is left, whole', async () => {
    const id = await objects.make();
    const [a, b, c] = [
      await objects.directory('a'),
      await objects.directory('b'),
      await objects.directory('c'),
    ];
    const set = (ids: number[]) => objects.setDirectories(id, ids);
    await Promise.all([set([a, b]), set([c]), set([a, b]), set([c])]);
    expect([[a, b], [c]]).toContainEqual(await objects.idsOfDirectories(id));
  });

  it('422 for one that sorts something else, 404 for an unknown one; nothing is changed', async () => {
    const id = await objects.make();
    const good = await objects.directory('Good');
    const wrong = await objects.directory('Wrong', otherType);
    await objects.setDirectories(id, [good]);
    expect(await objects.setDirectories(id, [good, wrong])).toMatchObject({
      status: 422,
      error: `[1]: directory ${wrong} is of type ${otherType}; must be of ${objects.of.dirType} or Unknown`,
    });
    expect(await objects.setDirectories(id, [99_999])).toMatchObject({
      status: 404,
      error: '[0]: Directory not found',
    });
    expect(await objects.idsOfDirectories(id)).toEqual([good]);
  });

  it('404 for an unknown one', async () => {
    expect(await objects.setDirectories(99_999, [])).toMatchObject({
      status: 404,
      error: `${objects.of.name} not found`,
    });
  });

  it.each([
    [{}, 'body: must be an array'],
    [['1'], '[0]: must be an integer'],
    [[0], '[0]: must be at least 1'],
    [Array.from({ length: 51 }, (_, i) => i + 1), 'body: must have at most 50'],
  ])('400 for %j', async (body, error) => {
    expect(await objects.setDirectories(await objects.make(), body)).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });
}
