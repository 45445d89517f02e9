import type { SiteDb } from '../platform/db/site-db.ts';
import { siteAction, siteOperation } from '../platform/http/operation.ts';
import { Bool, Id, Params, type RecordKind, Type } from '../platform/http/schema.ts';
import { Directory, DirectoryIds, typesThatSort } from './directory.ts';
import { type FavouriteKind, setFavourite } from './favourite-store.ts';
import { directoriesOf, setDirectories, type TaggedKind } from './object-directory-store.ts';

/** A kind of object for the operations that sort it: directories (tags) and favourites. */
export interface SortedObject<Kind extends string> {
  readonly kind: Kind;
  /** The name in operation ids: `Target`. */
  readonly name: string;
  /** The name in texts: `a target`. */
  readonly noun: string;
  /** The path of all, and the parameter that names one of them. */
  readonly path: `/${string}`;
  readonly param: string;
  readonly record: RecordKind;
  /** Locks one until the transaction ends. @throws 404 */
  lock(tx: SiteDb, id: number): Promise<unknown>;
}

const paramsOf = ({ param, record }: SortedObject<string>) => Params({ [param]: Id(record) });

/** The operation that gets the directories of an object. @param get the object; throws 404 */
export function getDirectoriesOf(
  of: SortedObject<TaggedKind>,
  get: (db: SiteDb, id: number) => Promise<unknown>,
) {
  return siteOperation({
    id: `get${of.name}Directories`,
    method: 'GET',
    path: `${of.path}/{${of.param}}/directories`,
    right: 'read',
    tag: 'Tags',
    summary: `Get the directories (tags) of ${of.noun}`,
    params: paramsOf(of),
    reply: Type.Array(Directory),
    async handle({ db, params }) {
      await get(db, params[of.param]!);
      return directoriesOf(db, of.kind, params[of.param]!);
    },
  });
}

/** The operation that sets the directories of an object. @param list what lists objects by directory, in a sentence */
export function setDirectoriesOf(of: SortedObject<TaggedKind>, list: string) {
  return siteAction({
    id: `set${of.name}Directories`,
    method: 'PUT',
    path: `${of.path}/{${of.param}}/directories`,
    right: 'write',
    tag: 'Tags',
    summary: `Set the directories (tags) of ${of.noun}`,
    description:
      `The body is the ids of all its directories, of the type ${typesThatSort(of.kind).join(' or ')}. They replace ` +
      `its current ones; an empty list removes all. ${list} can list by directory.`,
    params: paramsOf(of),
    body: DirectoryIds,
    refusals: [422],
    handle: ({ db, params, body }) =>
      db.transaction(async (tx) => {
        await of.lock(tx, params[of.param]!);
        await setDirectories(tx, of.kind, params[of.param]!, body);
      }),
  });
}

/** The operation that sets whether an object is a favourite of the caller. */
export function setFavouriteOf(of: SortedObject<FavouriteKind>) {
  return siteAction({
    id: `set${of.name}Favourite`,
    method: 'PUT',
    path: `${of.path}/{${of.param}}/favourite`,
    // Favourites belong to their user and change nothing for other users.
    right: 'read',
    tag: 'Tags',
    summary: `Set whether ${of.noun} is a favourite`,
    description:
      "The body is true or false. Favourites are those of the token's user; the location MyFavorites lists them.",
    params: paramsOf(of),
    body: Bool(),
    handle: ({ db, params, body, caller }) =>
      db.transaction(async (tx) => {
        await of.lock(tx, params[of.param]!);
        await setFavourite(tx, caller.idUser, of.kind, params[of.param]!, body);
      }),
  });
}
