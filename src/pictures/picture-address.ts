import { type PictureType, pictureTypes } from './picture.ts';

/** Where a file is shown: which site's, its key, and its type as the ending. */
export interface PictureAddress {
  readonly idSite: number;
  readonly key: string;
  readonly type: PictureType;
}

/** What every path of a picture begins with. */
export const picturePrefix = '/p/';

/** The public address of a picture; `publicUrl` without a trailing slash. */
export function pictureUrl(publicUrl: string, { idSite, key, type }: PictureAddress): string {
  return `${publicUrl}${picturePrefix}${idSite}/${key}.${type}`;
}

const form = /^\/p\/([1-9]\d{0,8})\/([\w-]{22})\.([a-z]{3,4})$/;

/** What a path requests; undefined for one that is no picture's. A query does not count. */
export function readPicturePath(path: string): PictureAddress | undefined {
  const query = path.indexOf('?');
  const [, site, key = '', type = ''] = form.exec(query < 0 ? path : path.slice(0, query)) ?? [];
  if (site === undefined || !Object.hasOwn(pictureTypes, type)) return undefined;
  return { idSite: Number(site), key, type: type as PictureType };
}
