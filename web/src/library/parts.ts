/** The parts of the library with their addresses, in the order of their links. */
export const libraryParts = [
  ['pictures', '/$site/library'],
  ['advertisements', '/$site/library/advertisements'],
  ['advertisers', '/$site/library/advertisers'],
  ['affiliations', '/$site/library/affiliations'],
  ['thematics', '/$site/library/thematics'],
  ['blocks', '/$site/library/blocks'],
  ['data', '/$site/library/data'],
  ['directories', '/$site/library/directories'],
] as const;
