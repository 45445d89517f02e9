import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { loadPiece } from '../api/loads.ts';
import type { words as first } from './en/index.ts';
import type { words as later } from './en/later.ts';
import { type Format, type Language, makeFormat } from './format.ts';

/** The texts that the first screen needs. The French ones have this type, so that a missing one does not compile. */
export type FirstWords = typeof first;
/** The texts of all other screens, which are loaded before the first of them is shown. */
export type LaterWords = typeof later;
export type Words = FirstWords & LaterWords;
export type { Language };

interface Spoken {
  readonly language: Language;
  readonly words: Words;
  readonly format: Format;
  readonly setLanguage: (language: Language) => void;
}

const kept = 'facteur.language';
/** How long after a failure the texts are loaded again. */
const retryMs = 3_000;
const SpokenContext = createContext<Spoken | undefined>(undefined);

/** The chosen language, or the first one of the browser that the console speaks. */
export function chosenLanguage(): Language {
  const chosen = localStorage.getItem(kept);
  if (chosen === 'en' || chosen === 'fr') return chosen;
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
  return spoken.find((tag): tag is Language => tag === 'en' || tag === 'fr') ?? 'en';
}

const loads = new Map<Language, Promise<Words>>();
let wantsLater = false;

/** The texts of a language; those of later screens are in it once `loadLaterWords` has ended. */
async function load(language: Language): Promise<Words> {
  const known = loads.get(language) ?? loadFirst(language);
  loads.set(language, known);
  // The next call tries again.
  known.catch(() => loads.delete(language));
  const words = await known;
  if (wantsLater && !('composer' in words)) Object.assign(words, await loadLater(language));
  return words;
}

// Screens other than the first one ask for the later texts before they are shown (root.tsx).
const loadFirst = async (language: Language): Promise<Words> =>
  ({ ...(await (language === 'fr' ? import('./fr/index.ts') : import('./en/index.ts'))).words }) as Words;
const loadLater = async (language: Language): Promise<LaterWords> =>
  (await loadPiece(() => (language === 'fr' ? import('./fr/later.ts') : import('./en/later.ts')))).words;

/** Loads the texts that the first screen does not need. */
export async function loadLaterWords(): Promise<void> {
  wantsLater = true;
  await load(chosenLanguage());
}

/** Loads the texts of one language, and shows nothing until they are there. */
export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setChosen] = useState(chosenLanguage);
  const [loaded, setLoaded] = useState<{ language: Language; words: Words }>();
  useEffect(() => {
    let isCurrent = true;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const show = async () => {
      try {
        const words = await load(language);
        if (!isCurrent) return;
        document.documentElement.lang = language;
        setLoaded({ language, words });
      } catch {
        // The service is away, and there are no words to say so.
        if (isCurrent) retry = setTimeout(() => void show(), retryMs);
      }
    };
    void show();
    return () => {
      isCurrent = false;
      clearTimeout(retry);
    };
  }, [language]);
  const setLanguage = useCallback((next: Language) => {
    localStorage.setItem(kept, next);
    setChosen(next);
  }, []);
  const spoken = useMemo(
    () => loaded && { ...loaded, format: makeFormat(loaded.language), setLanguage },
    [loaded, setLanguage],
  );
  return spoken && <SpokenContext value={spoken}>{children}</SpokenContext>;
}

/** The texts, the formats of numbers and dates, and the language. */
export function useWords(): Spoken {
  const spoken = use(SpokenContext);
  if (!spoken) throw new Error('useWords outside of WordsProvider');
  return spoken;
}
