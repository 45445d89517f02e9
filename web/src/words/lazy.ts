import { later } from './later.ts';
import { type Language, useWords } from './words.tsx';

/** Makes a hook that returns the texts of an area, which are loaded with the area's first screen. */
export function lazyWords<Texts>(loaders: Readonly<Record<Language, () => Promise<Texts>>>): () => Texts {
  const readers = { en: later(loaders.en), fr: later(loaders.fr) };
  return () => {
    const { language } = useWords();
    return readers[language]();
  };
}
