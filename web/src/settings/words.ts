import { lazyWords } from '../words/lazy.ts';

/** The texts of the settings. */
export const useSettingsWords = lazyWords({
  en: async () => (await import('../words/en/settings.ts')).settings,
  fr: async () => (await import('../words/fr/settings.ts')).settings,
});
