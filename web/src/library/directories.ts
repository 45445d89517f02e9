import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';

export type Directory = components['schemas']['Directory'];
export type DirectoryType = Directory['dirType'];

/** A directory in its tree: how deep it is, and its name with those above it. */
export interface PlacedDirectory {
  readonly directory: Directory;
  readonly depth: number;
  readonly path: string;
}

/** The directories of a type, as the service lists them. */
export function useDirectories(idType: DirectoryType) {
  const site = useSite();
  return useQuery({
    queryKey: ['directories', site.name, idType],
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/directories/types/{idType}', {
          params: { path: { idsite: site.name, idType } },
        }),
      ),
  });
}

/** The directories in the order of their tree, each below its parent, by name. */
export function placed(directories: readonly Directory[]): PlacedDirectory[] {
  const known = new Set(directories.map(({ id }) => id));
  const children = new Map<number, Directory[]>();
  for (const directory of directories) {
    const { idParent } = directory;
    const parent = idParent !== null && known.has(idParent) ? idParent : 0;
    children.set(parent, [...(children.get(parent) ?? []), directory]);
  }
  const below = (parent: number, depth: number, above: string): PlacedDirectory[] =>
    (children.get(parent) ?? [])
      .sort((a, b) => a.name.localeCompare(b.name))
      .flatMap((directory) => {
        const path = above + directory.name;
        return [{ directory, depth, path }, ...below(directory.id, depth + 1, `${path} / `)];
      });
  return below(0, 0, '');
}
