import { NoConnection } from './api-error.ts';

/** Functions that make pieces load again after a failure. */
const forgets = new Set<() => void>();

/** Makes pieces of the console that could not be loaded load again when they are next used. */
export function forgetFailedLoads(): void {
  for (const forget of forgets) forget();
  forgets.clear();
}

/** Loads a piece of the console. @throws NoConnection if the service does not give it */
export async function loadPiece<Piece>(load: () => Promise<Piece>): Promise<Piece> {
  try {
    return await load();
  } catch {
    throw new NoConnection();
  }
}

/**
 * Returns a function that loads a piece of the console when it is first called. Every call returns the same promise,
 * even one that has failed, until `forgetFailedLoads` is called.
 */
export function loadOnce<Piece>(load: () => Promise<Piece>): () => Promise<Piece> {
  let loading: Promise<Piece> | undefined;
  return () => {
    if (loading) return loading;
    const begun = loadPiece(load);
    begun.catch(() => forgets.add(() => (loading = undefined)));
    loading = begun;
    return begun;
  };
}

/** Removes style sheets that could not be loaded: a later load of the same piece would take them as there. */
export function removeFailedStyles(): void {
  const remove = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.relList.contains('stylesheet')) target.remove();
  };
  addEventListener('error', remove, { capture: true });
}
