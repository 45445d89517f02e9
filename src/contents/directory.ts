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
  isSystem: Maybe(Bool('Only false: callers cannot create system directories')),
  idParent: Reference('directory', 'The parent directory, of the same type; none: the top level'),
  dirType: Maybe(
    OneOf(directoryTypes, 'The kind of object that it may contain; Unknown means any. Default: Image'),
  ),
});

const asItIs = 'The current value, or omitted';
/** A new name or parent, alone or within the directory as it was read. */
export const DirectoryChange = Closed('DirectoryChange', {
  id: Id('directory'),
  name,
  isSystem: Maybe(Bool(asItIs)),
  idParent: Reference('directory', 'The new parent directory, of the same type. Default: its current one'),
  dirType: Maybe(OneOf(directoryTypes, asItIs)),
});
export type DirectoryChange = Static<typeof DirectoryChange>;

/** All directories of an object; an empty list removes all. */
export const DirectoryIds = Type.Array(Id('directory'), { maxItems: 50 });

export const maxDepth = 8;
/** Maximum number of directories of a site: lists have no pages. */
export const maxDirectories = 10_000;

const typesFor = {
  campaign: ['Campaign'],
  target: ['Filter'],
  sending_configuration: ['Config'],
  tracked_link: ['URL', 'Link'],
  picture: ['Image'],
  advertisement: ['Pub'],
} as const satisfies Readonly<Record<string, readonly DirectoryType[]>>;

/** Kinds of objects in directories, named after their tables. */
export type SortedKind = keyof typeof typesFor;

/** The types of directories that an object of a kind may be in. */
export function typesThatSort(kind: SortedKind): readonly DirectoryType[] {
  // A directory of type Unknown may contain everything.
  return [...typesFor[kind], 'Unknown'];
}

/** The location of a list, from `filter.location`: a named location, or the objects in a directory. */
export type ListLocation<Name extends string> = { readonly name: Name } | { readonly idDirectory: number };

/** Undefined for no text. @throws 400 for a text that is neither one of the names nor an id. */
export function readLocation<Name extends string>(
  names: readonly Name[],
  text: string | undefined,
): ListLocation<Name> | undefined {
  if (text === undefined) return undefined;
  const name = names.find((one) => one === text);
  if (name !== undefined) return { name };
  const idDirectory = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (idDirectory >= 1 && idDirectory <= 2147483647) return { idDirectory };
  throw invalid(`filter.location: must be one of ${names.join(', ')}, or the id of a tag`);
}
