import { lazyWords } from '../words/lazy.ts';

/** The texts of the library. */
export const useLibraryWords = lazyWords({
  en: async () => (await import('../words/en/library.ts')).library,
  fr: async () => (await import('../words/fr/library.ts')).library,
});
