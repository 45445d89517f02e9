import { Bool, Closed, Int32, Nullable, OneOf, type Static, Type } from '../platform/http/schema.ts';

/** What a directory (a tag) sorts. */
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
