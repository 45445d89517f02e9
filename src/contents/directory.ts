import { invalid } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Id,
  Int32,
  Line,
  Maybe,
  Nullable,
  OneOf,
  Reference,
  type Static,
  Type,
} from '../platform/http/schema.ts';

/** The kinds of objects that a directory sorts. */
export const directoryTypes = [
  'Unknown',
  'Campaign',
  'Filter',
  'Pub',
  'Image',
  'URL',
  'Config',
  'Link',
] as const;
export type DirectoryType = (typeof directoryTypes)[number];

export const Directory = Closed('Directory', {
  id: Int32(),
  name: Type.String(),
  isSystem: Bool(),
  idParent: Nullable(Int32()),
  dirType: OneOf(directoryTypes),
});
export type Directory = Static<typeof Directory>;

const name = Type.String({ ...Line(255), minLength: 1 });

export const NewDirectory = Closed('NewDirectory', {
  name,
  isSystem: Maybe(Bool('Only false: no caller makes system directories')),
  idParent: Reference(
    'directory',
    'The directory that it stands in, of the same type; without one it stands at the top',
  ),
  dirType: Maybe(
    OneOf(directoryTypes, 'The kind of object that it sorts; Unknown sorts any kind. Default: Image'),
  ),
});

const asItIs = 'As it is, or left out';
/** A new name or another place, alone or in the directory as it was read. */
export const DirectoryChange = Closed('DirectoryChange', {
  id: Id('directory'),
  name,
  isSystem: Maybe(Bool(asItIs)),
  idParent: Reference(
    'directory',
    'The directory that it stands in from now on, of the same type; left out: it stays',
  ),
  dirType: Maybe(OneOf(directoryTypes, asItIs)),
});
export type DirectoryChange = Static<typeof DirectoryChange>;

/** All the directories of an object; an empty list takes it out of all. */
export const DirectoryIds = Type.Array(Id('directory'), { maxItems: 50 });

/** How deep directories are in each other. */
export const maxDepth = 8;
/** Directories that a site may have: they are listed without pages. */
export const maxDirectories = 10_000;

/** The type of the directories that sort objects of each kind. */
const typesFor = {
  campaign: ['Campaign'],
  target: ['Filter'],
  sending_configuration: ['Config'],
  tracked_link: ['URL', 'Link'],
  picture: ['Image'],
  advertisement: ['Pub'],
} as const satisfies Readonly<Record<string, readonly DirectoryType[]>>;

/** Kinds of objects that are in directories, named as their tables. */
export type SortedKind = keyof typeof typesFor;

/** The types of directories that an object of a kind may be in. */
export function typesThatSort(kind: SortedKind): readonly DirectoryType[] {
  // A directory that names no type sorts everything.
  return [...typesFor[kind], 'Unknown'];
}

/** Where a list looks, as `filter.location` says it: at what has one of the names, or at what is in a directory. */
export type ListLocation<Name extends string> = { readonly name: Name } | { readonly idDirectory: number };

/** @throws 400 for a word that is neither one of the names nor an id. */
export function readLocation<Name extends string>(names: readonly Name[], text: string): ListLocation<Name> {
  const name = names.find((one) => one === text);
  if (name !== undefined) return { name };
  const idDirectory = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (idDirectory >= 1 && idDirectory <= 2147483647) return { idDirectory };
  throw invalid(`filter.location: must be one of ${names.join(', ')}, or the id of a tag`);
}
