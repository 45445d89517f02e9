import { ConsoleUpdated, NoConnection } from './api-error.ts';

/** Functions that make pieces load again after a failure. */
const forgets = new Set<() => void>();

/** Makes pieces of the console that could not be loaded load again when they are next used. */
export function forgetFailedLoads(): void {
  for (const forget of forgets) forget();
  forgets.clear();
}

const answerMs = 10_000;
/** Messages of the browsers for a module that they did not get, and of Vite for a style sheet. */
const notLoaded = [
  'Failed to fetch dynamically imported module',
  'error loading dynamically imported module',
  'Importing a module script failed',
  'is not a valid JavaScript MIME type',
  'Unable to preload CSS',
];

/** Whether a piece of the console was not loaded; false for an error of its own code. */
export const isFailedLoad = (error: unknown): boolean =>
  error instanceof Error && notLoaded.some((message) => error.message.includes(message));

/** Whether the service can be reached and serves requests. */
export async function isServiceThere(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    const { status } = await fetch('/v1/me', { credentials: 'same-origin', signal });
    return status <= 500;
  } catch {
    return false;
  }
}

/** Whether the files of the console can be had now. A proxy replies even while the service is stopped. */
async function isConsoleServed(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    return (await fetch('/console/', { method: 'HEAD', signal })).status <= 500;
  } catch {
    return false;
  }
}

/** The request under way, which pieces that load together share. */
let asked: Promise<boolean> | undefined;

const isConsoleThere = (): Promise<boolean> =>
  (asked ??= isConsoleServed().finally(() => (asked = undefined)));

/**
 * Loads a piece of the console.
 * @throws NoConnection if the service cannot be reached, ConsoleUpdated if it no longer has the piece; errors of the
 *   piece's code
 */
export async function loadPiece<Piece>(load: () => Promise<Piece>): Promise<Piece> {
  // Browsers ask for a module once: one that could not be loaded stays so until the page is loaded again.
  if (!(await isConsoleThere())) throw new NoConnection();
  try {
    return await load();
  } catch (error) {
    if (!isFailedLoad(error)) throw error;
    throw (await isServiceThere()) ? new ConsoleUpdated() : new NoConnection();
  }
}

/**
 * Returns a function that loads a piece of the console when it is first called. Every call returns the same promise,
 * even one that has failed, until `forgetFailedLoads` is called. A screen shows a loaded piece without a pause.
 */
export function loadOnce<Piece>(load: () => Promise<Piece>): () => Promise<Piece> {
  let loading: Promise<Piece> | undefined;
  return () => {
    if (loading) return loading;
    const begun = loadPiece(load);
    begun.then(
      // As React marks a promise that it has waited for: without it the first use would hide the screen for a moment.
      (value) => Object.assign(begun, { status: 'fulfilled', value }),
      () => forgets.add(() => (loading = undefined)),
    );
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
