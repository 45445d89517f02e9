import { use } from 'react';
import { loadOnce } from '../api/loads.ts';
import { type Language, useWords } from './words.tsx';

/**
 * Makes a hook that returns the texts of an area. They are loaded with the area's first screen, so that they cost the
 * first screen of the console nothing.
 */
export function lazyWords<Texts>(loaders: Readonly<Record<Language, () => Promise<Texts>>>): () => Texts {
  const loads = { en: loadOnce(loaders.en), fr: loadOnce(loaders.fr) };
  return () => use(loads[useWords().language]());
}
