import { lazyWords } from '../words/lazy.ts';

/** The texts of the blocks editor. */
export const useBlocksWords = lazyWords({
  en: async () => (await import('../words/en/blocks.ts')).blocks,
  fr: async () => (await import('../words/fr/blocks.ts')).blocks,
});
