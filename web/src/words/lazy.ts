import { use } from 'react';
import { forgetFailedLoads, loadOnce } from '../api/loads.ts';
import { chosenLanguage, isFirstScreen, type Language, useWords } from './words.tsx';

/** A hook that returns the texts of an area. */
export interface LazyWords<Texts> {
  (): Texts;
  /** Loads the texts, so that what uses them later is shown without a pause. */
  load(): Promise<Texts>;
}

/**
 * Makes a hook that returns the texts of an area. They are loaded with the code of the area, so that a dialog opens
 * without waiting for them; on the first screen only when they are used.
 */
export function lazyWords<Texts>(
  loaders: Readonly<Record<Language, () => Promise<Texts>>>,
): LazyWords<Texts> {
  const loads = { en: loadOnce(loaders.en), fr: loadOnce(loaders.fr) };
  const load = () => loads[chosenLanguage()]();
  // After a failure, their first use loads them again.
  if (!isFirstScreen()) load().catch(forgetFailedLoads);
  return Object.assign(() => use(loads[useWords().language]()), { load });
}
