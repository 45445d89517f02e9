import { use } from 'react';
import { type Language, useWords } from './words.tsx';

/**
 * Makes a hook that returns the texts of an area. They are loaded with the area's first screen, so that they cost the
 * first screen of the console nothing.
 */
export function lazyWords<Texts>(loaders: Readonly<Record<Language, () => Promise<Texts>>>): () => Texts {
  const loads = new Map<Language, Promise<Texts>>();
  return () => {
    const { language } = useWords();
    let load = loads.get(language);
    if (!load) {
      load = loaders[language]();
      loads.set(language, load);
      // The next render retries a failed load.
      load.catch(() => loads.delete(language));
    }
    return use(load);
  };
}
