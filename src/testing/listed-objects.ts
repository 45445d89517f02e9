import { expect, it } from 'vitest';
import { type FavouriteKind, setFavourite } from '../contents/favourite-store.ts';
import type { Reply, TestApp } from './app.ts';
import { makeCampaign, makeConfiguration, makeTarget } from './campaign-makers.ts';
import { makeAd } from './make-advertisement.ts';
import { makePicture } from './make-picture.ts';

/** A kind of objects that directories sort, that users mark as favourites, and that lists show by either. */
export interface ListedKind {
  /** Absent where users have no favourites. */
  readonly kind?: FavouriteKind;
  /** The noun of “Target not found”. */
  readonly name: string;
  readonly path: string;
  /** The type of the directories that sort them. */
  readonly dirType: string;
  /** The order by id; default: `Id`. */
  readonly sortById?: string;
  make(t: TestApp): Promise<number>;
  idOf(item: never): number;
  /** Whether an item of a list is a favourite, where lists show it. */
  isFavourite?(item: never): boolean;
}

export const listedTargets: ListedKind = {
  kind: 'target',
  name: 'Target',
  path: '/targets',
  dirType: 'Filter',
  sortById: 'IdTarget',
  make: (t) => makeTarget(t.db),
  idOf: (item: { idTarget: number }) => item.idTarget,
};

export const listedConfigurations: ListedKind = {
  kind: 'sending_configuration',
  name: 'Sending configuration',
  path: '/sending-configurations',
  dirType: 'Config',
  make: (t) => makeConfiguration(t.db),
  idOf: (item: { config: { id: number } }) => item.config.id,
  isFavourite: (item: { isFavourite: boolean }) => item.isFavourite,
};

export const listedPictures: ListedKind = {
  kind: 'picture',
  name: 'Picture',
  path: '/pictures',
  dirType: 'Image',
  make: (t) => makePicture(t.db),
  idOf: (item: { idPicture: number }) => item.idPicture,
};

export const listedCampaigns: ListedKind = {
  kind: 'campaign',
  name: 'Campaign',
  path: '/campaigns',
  dirType: 'Campaign',
  make: (t) => makeCampaign(t.db),
  idOf: (item: { id: number }) => item.id,
};

export const listedAdvertisements: ListedKind = {
  name: 'Advertisement',
  path: '/advertisements',
  dirType: 'Pub',
  make: (t) => makeAd(t.db, '<b>x</b>'),
  idOf: (item: { id: number }) => item.id,
};

/** Objects of one kind, their directories and favourites, over the API. */
export class ListedObjects {
  readonly of: ListedKind;
  readonly #t: () => TestApp;

  /** @param t requested with each call: tests are declared before their app is there. */
  constructor(t: () => TestApp, of: ListedKind) {
    this.#t = t;
    this.of = of;
  }

  get t(): TestApp {
    return this.#t();
  }

  make(): Promise<number> {
    return this.of.make(this.t);
  }

  /** A directory that sorts them, or one of another type; its id. */
  async directory(name: string, dirType = this.of.dirType): Promise<number> {
    return (await this.t.call('POST', '/pictures/directories', { body: { name, dirType } })).data;
  }

  setDirectories(id: number, body: unknown): Promise<Reply> {
    return this.t.call('PUT', `${this.of.path}/${id}/directories`, { body, as: 'editor' });
  }

  getDirectories(id: number): Promise<Reply> {
    return this.t.call('GET', `${this.of.path}/${id}/directories`, { as: 'reader' });
  }

  async idsOfDirectories(id: number): Promise<number[]> {
    return ((await this.getDirectories(id)).data as { id: number }[]).map((one) => one.id);
  }

  mark(id: number, body: unknown): Promise<Reply> {
    return this.t.call('PUT', `${this.of.path}/${id}/favourite`, { body, as: 'reader' });
  }

  /** Items of the list in a place, lowest ids first; omitted: where the list begins. */
  async listed(location?: number | string): Promise<never[]> {
    const query = {
      ...(location !== undefined && { 'filter.location': location }),
      'filter.sortBy': this.of.sortById ?? 'Id',
      'filter.order': 'ASC',
    };
    const { data } = await this.t.call('GET', this.of.path, { query, as: 'reader' });
    return (data as { items: never[] }).items;
  }

  async idsIn(location: number | string): Promise<number[]> {
    return (await this.listed(location)).map(this.of.idOf);
  }
}

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
