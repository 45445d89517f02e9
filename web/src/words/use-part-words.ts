import { lazyWords } from './lazy.ts';

/** The texts of parts that settings and library share. */
export const usePartWords = lazyWords({
  en: async () => (await import('./en/parts.ts')).parts,
  fr: async () => (await import('./fr/parts.ts')).parts,
});
