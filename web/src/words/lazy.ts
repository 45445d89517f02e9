import { use } from 'react';
import { loadOnce } from '../api/loads.ts';
import { chosenLanguage, type Language, useWords } from './words.tsx';

/** A hook that returns the texts of an area. */
export interface LazyWords<Texts> {
  (): Texts;
  /** Loads the texts, so that what uses them later is shown without a pause. */
  load(): Promise<Texts>;
}

/**
 * Makes a hook that returns the texts of an area. They are loaded with the area's first screen, so that they cost the
 * first screen of the console nothing.
 */
export function lazyWords<Texts>(
  loaders: Readonly<Record<Language, () => Promise<Texts>>>,
): LazyWords<Texts> {
  const loads = { en: loadOnce(loaders.en), fr: loadOnce(loaders.fr) };
  return Object.assign(() => use(loads[useWords().language]()), {
    load: () => loads[chosenLanguage()](),
  });
}
