import { lazyWords } from '../words/lazy.ts';

/** The texts of the overview of a site that has sent something. */
export const useSentWords = lazyWords({
  en: async () => (await import('../words/en/sent-overview.ts')).sentOverview,
  fr: async () => (await import('../words/fr/sent-overview.ts')).sentOverview,
});
