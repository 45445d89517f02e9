import type { FavouriteKind } from '../contents/favourite-store.ts';
import type { Reply, TestApp } from './app.ts';
import { makeCampaign } from './campaign-makers.ts';
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
  readonly sortById: string;
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
  make: async (t) => idOf(await t.call('POST', '/targets', { body: { name: 'Actifs' } })),
  idOf: (item: { idTarget: number }) => item.idTarget,
};

export const listedConfigurations: ListedKind = {
  kind: 'sending_configuration',
  name: 'Sending configuration',
  path: '/sending-configurations',
  dirType: 'Config',
  sortById: 'Id',
  async make(t) {
    const body = { name: 'Shop', senderEMail: 'a@b.fr', responseEMail: 'a@b.fr' };
    return idOf(await t.call('POST', '/sending-configurations', { body }));
  },
  idOf: (item: { config: { id: number } }) => item.config.id,
  isFavourite: (item: { isFavourite: boolean }) => item.isFavourite,
};

export const listedPictures: ListedKind = {
  kind: 'picture',
  name: 'Picture',
  path: '/pictures',
  dirType: 'Image',
  sortById: 'Id',
  make: (t) => makePicture(t.db),
  idOf: (item: { idPicture: number }) => item.idPicture,
};

export const listedCampaigns: ListedKind = {
  kind: 'campaign',
  name: 'Campaign',
  path: '/campaigns',
  dirType: 'Campaign',
  sortById: 'Id',
  make: (t) => makeCampaign(t.db),
  idOf: (item: { id: number }) => item.id,
};

export const listedAdvertisements: ListedKind = {
  name: 'Advertisement',
  path: '/advertisements',
  dirType: 'Pub',
  sortById: 'Id',
  make: async (t) =>
    idOf(await t.call('POST', '/advertisements', { body: { name: 'Ad', html: '<b>x</b>' } })),
  idOf: (item: { id: number }) => item.id,
};

const idOf = ({ data }: Reply): number => (data as { id: number }).id;

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
      'filter.sortBy': this.of.sortById,
      'filter.order': 'ASC',
    };
    const { data } = await this.t.call('GET', this.of.path, { query, as: 'reader' });
    return (data as { items: never[] }).items;
  }

  async idsIn(location: number | string): Promise<number[]> {
    return (await this.listed(location)).map(this.of.idOf);
  }
}
